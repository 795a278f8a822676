import { type WaitOptions, waitUntil } from '../postgres/schema-status.ts'

const ANSWER_MILLISECONDS = 3000

/**
 * Checks whether Keyward is alive (or ready), at `url` or else on its own port: a backend or worker by
 * `/service/health/`, a frontend by `/api/health`. Null when it is, else a sentence.
 */
export async function healthProblem(
  url: string | null,
  own: { port: number; bindAddress: string },
): Promise<string | null> {
  if (url !== null) return await problemAt(url)
  const base = `http://${reachable(own.bindAddress)}:${own.port}`
  const problem = await problemAt(`${base}/service/health/`)
  return problem === null || (await problemAt(`${base}/api/health`)) === null ? null : problem
}

/**
 * Waits until the backend behind `url`, its `/service/ready/`, is ready on a schema that is at least `required`: for
 * a program that can't reach the database itself. Throws a sentence when that takes longer than `timeoutSeconds`, and the
 * signal's reason when it is aborted.
 */
export async function waitForSchemaVia(url: string, required: number, options: WaitOptions): Promise<void> {
  await waitUntil('the backend', () => schemaProblemAt(url, required), options)
}

// An address that means all of them is reached by loopback.
function reachable(bindAddress: string): string {
  if (bindAddress === '0.0.0.0') return '127.0.0.1'
  if (bindAddress === '::') return '[::1]'
  return bindAddress.includes(':') ? `[${bindAddress}]` : bindAddress
}

async function problemAt(url: string): Promise<string | null> {
  const answer = await ask(url)
  if (answer === null) return `${url} does not answer.`
  const { status } = answer.body
  if (answer.status === 200 && (status === 'alive' || status === 'ready')) return null
  return `${url} answers ${answer.status}, not that it is alive.`
}

async function schemaProblemAt(url: string, required: number): Promise<string | null> {
  const answer = await ask(url)
  if (answer === null) return `${url} does not answer.`
  const { status, schema, error } = answer.body
  if (answer.status !== 200 || status !== 'ready') {
    return `${url} answers ${answer.status}: ${typeof error === 'string' ? error : 'it is not ready.'}`
  }
  if (typeof schema !== 'number') return `${url} does not say which schema its database has.`
  return schema >= required
    ? null
    : `${url} is ready on schema version ${schema}, and version ${required} is needed.`
}

type Answer = { status: number; body: Record<string, unknown> }

async function ask(url: string): Promise<Answer | null> {
  try {
    // A kept connection always reaches the same replica.
    const headers = { connection: 'close' }
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(ANSWER_MILLISECONDS) })
    const body: unknown = await response.json().catch(() => null)
    return { status: response.status, body: typeof body === 'object' && body !== null ? { ...body } : {} }
  } catch {
    return null
  }
}
