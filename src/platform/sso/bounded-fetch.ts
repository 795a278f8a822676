import { traceCall } from '../tracing.ts'

/** The part of `fetch` that is used. */
export type Send = (url: string, init: RequestInit) => Promise<Response>

/** A call whose response can't be used; the message is a sentence for the operator, without query and body. */
export class CallFailure extends Error {
  override readonly name = 'CallFailure'
  /** Whether nothing came back, or only a part: what no caller can bring about by what it sends. */
  readonly isUnreachable: boolean

  constructor(message: string, isUnreachable = false) {
    super(message)
    this.isUnreachable = isUnreachable
  }
}

/** How long one step of a sign-in may take, all its calls together. */
export const STEP_MILLISECONDS = 10_000

/** How large a response may be, decompressed. */
export const MAX_RESPONSE_BYTES = 1024 * 1024

/**
 * A `fetch` for the calls of one step: none outlasts `deadline`, follows a redirect or returns a body that is not
 * wholly here and small. Throws CallFailure, also where the other side is overloaded or broken.
 */
export function boundedFetch(send: Send, deadline: AbortSignal): Send {
  return (url, init) => {
    const { method = 'GET' } = init
    return traceCall(`${method} identity provider`, { 'http.request.method': method }, () => call(url, init))
  }

  async function call(url: string, init: RequestInit): Promise<Response> {
    const place = placeOf(url)
    const response = await reach(
      send(url, { ...init, redirect: 'manual', signal: deadline }),
      deadline,
      place,
    )
    const { status } = response
    if (response.type === 'opaqueredirect' || (status >= 300 && status < 400)) {
      await discard(response)
      throw new CallFailure(`${place} answered with a redirect, and none is followed.`)
    }
    if (status === 429 || status >= 500) {
      await discard(response)
      throw new CallFailure(`${place} answered with status ${status}.`)
    }
    const body = await reach(readBounded(response, place), deadline, place)
    return new Response(body, { status, headers: keptHeaders(response) })
  }
}

async function reach<T>(work: Promise<T>, deadline: AbortSignal, place: string): Promise<T> {
  let stop = () => {}
  const late = new Promise<never>((_, reject) => {
    stop = () => reject(new CallFailure(`${place} did not answer in time.`, true))
    if (deadline.aborted) stop()
    else deadline.addEventListener('abort', stop, { once: true })
  })
  try {
    // Raced as well: looking a name up does not end at the signal.
    return await Promise.race([work, late])
  } catch (error) {
    if (error instanceof CallFailure) throw error
    throw new CallFailure(`${place} can't be reached: ${causeOf(error)}.`, true)
  } finally {
    deadline.removeEventListener('abort', stop)
  }
}

async function readBounded(response: Response, place: string): Promise<Uint8Array<ArrayBuffer> | null> {
  if (response.body === null || [204, 205].includes(response.status)) return null
  const chunks: Uint8Array[] = []
  let length = 0
  const reader = response.body.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    length += value.byteLength
    if (length > MAX_RESPONSE_BYTES) {
      reader.cancel().catch(() => {})
      throw new CallFailure(`${place} answered with more than ${MAX_RESPONSE_BYTES} bytes.`)
    }
    chunks.push(value)
  }
  return Uint8Array.from(Buffer.concat(chunks))
}

async function discard(response: Response): Promise<void> {
  await response.body?.cancel().catch(() => {})
}

function keptHeaders(response: Response): Headers {
  const headers = new Headers()
  for (const name of ['content-type', 'www-authenticate']) {
    const value = response.headers.get(name)
    if (value !== null) headers.set(name, value)
  }
  return headers
}

/** The address without query and credentials, of bounded length. */
function placeOf(url: string): string {
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`.slice(0, 200)
}

/** Codes alone: a message may hold what was sent. */
function causeOf(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown }
  if (typeof code === 'string' && /^[A-Za-z][A-Za-z0-9_]{0,63}$/.test(code)) return code
  return typeof name === 'string' && /^[A-Za-z]{1,32}$/.test(name) ? name : 'unknown error'
}
