import type { Context } from '../../context.ts'
import { type Caller, isActor, sharerOf } from '../../core/actor.ts'
import { noteRead, type ReadEvent } from '../../core/audit/reads.ts'
import { etagOf, isNamedIn } from '../../core/etags.ts'
import type { Sharer } from '../../platform/turn-queues.ts'
import { bodyOf } from './large-responses.ts'
import type { RequestState } from './request-state.ts'
import type { RequestStates } from './requests.ts'

/** What a read was answered with. */
export type Answer = Readonly<{
  route: string | null
  etag: string
  /** All headers that don't depend on the request. */
  headers: Headers
  content: Uint8Array
  /** What the audit log is told each time that this is sent. */
  reading: ReadEvent | null
}>

/** About how long making an answer keeps the process from others. */
const MILLISECONDS_PER_BYTE = 8 / (1024 * 1024)

/** About how much memory the headers of an answer take. */
const HEADERS_BYTES = 2000

/**
 * The answers to reads, with their ETags. Those of routes that declare `remember` are sent from memory where the database
 * confirms, after the request has arrived, that nothing has changed since they were loaded.
 */
export function createAnswers(
  ctx: Context,
  requests: RequestStates,
  everyHeader: Readonly<Record<string, string>>,
) {
  /** What a response tells the caller: it counts as read, also where nobody waits for it any more. */
  const contentOf = async (response: Response, caller: Sharer): Promise<Uint8Array> => {
    const content = new Uint8Array(await response.arrayBuffer())
    ctx.limitReads.charge(caller, content.length * MILLISECONDS_PER_BYTE)
    return content
  }

  const reply = (request: Request, answer: Answer, caller: Sharer): Response => {
    const { etag, headers, content } = answer
    const ifNoneMatch = request.headers.get('if-none-match')
    if (ifNoneMatch !== null && isNamedIn(ifNoneMatch, etag)) {
      return new Response(null, { status: 304, headers: { etag } })
    }
    return new Response(bodyOf(content, ctx, caller), { headers })
  }

  /** The answer of a response that succeeded; null for every other one. */
  const answerOf = async (
    response: Response,
    state: RequestState,
    caller: Sharer,
  ): Promise<Answer | null> => {
    const type = response.headers.get('content-type')
    if (response.status !== 200 || !state.hasETag || type === null) return null
    const content = await contentOf(response, caller)
    const etag = etagOf(content)
    // Made once: setting each on each response would take as long as the rest.
    const headers = new Headers({ ...everyHeader, 'content-type': type, etag })
    return { route: state.route, etag, headers, content, reading: state.reading }
  }

  /** A response of the router, as it is to be sent. */
  const send = async (request: Request, response: Response): Promise<Response> => {
    const state = requests.of(request)
    if (state.caller === null || response.status === 204) return response
    const caller = sharerOf(state.caller)
    const isRead = request.method === 'GET'
    const answer = isRead ? await answerOf(response, state, caller) : null
    if (answer !== null) return reply(request, answer, caller)
    const content = await contentOf(response, caller)
    return new Response(bodyOf(content, ctx, caller, { isOfChange: !isRead }), response)
  }

  return {
    send,
    /**
     * The answer to a GET of a route that declares `remember`; `load` has the router answer. `headers` are those of the
     * request by which answers differ.
     */
    recall: async (
      request: Request,
      load: () => Promise<Response>,
      headers: readonly string[] = [],
    ): Promise<Response> => {
      const { memory } = ctx
      const state = requests.of(request)
      // The router refuses whoever can't be authenticated.
      const caller = memory === null ? null : await requests.authenticate(request).catch(() => null)
      if (memory === null || caller === null) return await send(request, await load())
      const sharer = sharerOf(caller)
      const version = await requests.confirm(request)
      // By credential: what the guards have checked follows from its row, and so is the same at the same version.
      const named = headers.map((name) => request.headers.get(name) ?? '')
      const key = [
        caller.credential.id,
        request.url,
        ...(named.length > 0 ? [JSON.stringify(named)] : []),
      ].join(' ')
      const known = memory.recall<Answer>('answer', version, key)
      if (known !== undefined) return await replyFromMemory(request, state, known, caller)
      let own: Response | undefined
      const loaded = await memory.load<Answer>('answer', version, key, async () => {
        own = await load()
        const answer = state.isRemembered ? await answerOf(own, state, sharer) : null
        return answer === null ? null : { value: answer, bytes: answer.content.byteLength + HEADERS_BYTES }
      })
      // What this request has loaded itself is in the audit log already.
      if (loaded !== null && own !== undefined) return reply(request, loaded, sharer)
      if (loaded !== null) return await replyFromMemory(request, state, loaded, caller)
      return await send(request, own ?? (await load()))
    },
  }

  async function replyFromMemory(
    request: Request,
    state: RequestState,
    answer: Answer,
    caller: Caller,
  ): Promise<Response> {
    state.route = answer.route
    const sharer = sharerOf(caller)
    if (answer.reading !== null && isActor(caller)) {
      await noteRead(ctx, caller, answer.reading, { turnOf: sharer })
    }
    return reply(request, answer, sharer)
  }
}
