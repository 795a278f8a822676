import type { Context } from '../../context.ts'
import type { Caller, RequestOrigin } from '../../core/actor.ts'
import { tooMany } from '../../core/errors.ts'
import { networkOf } from '../../core/sign-in/sign-in-limits.ts'
import { createBodies, type IncomingBody } from './body.ts'
import { originReader, type PeerAddress } from './request-origin.ts'

/** What is known of one request. */
export type RequestState = {
  readonly origin: RequestOrigin
  caller: Caller | null
  /** The pattern that the router found, such as `/v1/roles/:id`. */
  route: string | null
  /** Headers that the answer gets, whatever it will be. */
  readonly headers: Record<string, string>
  body: IncomingBody | null
}

export type RequestStates = ReturnType<typeof createRequestStates>

/** What is known of each request under way: where it comes from, who calls, what the answer's headers will say. */
export function createRequestStates(ctx: Context, peerAddress: PeerAddress) {
  const states = new WeakMap<Request, RequestState>()
  const readOrigin = originReader(ctx.config.trustedProxies, peerAddress, ctx.log)
  const bodies = createBodies()

  const of = (request: Request): RequestState => {
    const known = states.get(request)
    if (known !== undefined) return known
    const state: RequestState = {
      origin: readOrigin(request),
      caller: null,
      route: null,
      headers: {},
      body: null,
    }
    states.set(request, state)
    return state
  }

  return {
    of,
    /** Makes `copy` the same request as `original`, under another path. */
    alias: (original: Request, copy: Request) => {
      states.set(copy, of(original))
    },
    setCaller: (request: Request, caller: Caller) => {
      of(request).caller = caller
    },
    callerOf: (request: Request): Caller => {
      const { caller } = of(request)
      if (caller === null) throw new Error('this route lets anyone in: it has no caller')
      return caller
    },
    /** Takes note of the body of a request on its way to the router; 503 when too many are under way. */
    expectBody: (request: Request, path: string): void => {
      const state = of(request)
      state.body = bodies.arrive(request, path, () => networkOf(state.origin.ipAddress))
    },
    /** Reads the body, null when there is none. Only once it is clear that its sender may send it. */
    readBody: async (request: Request): Promise<unknown> => {
      const { body, caller, origin } = of(request)
      if (body === null) throw new Error('this request did not come through the front')
      const sender = caller === null ? networkOf(origin.ipAddress) : (caller.id ?? caller.userId)
      return await body.read(sender, caller !== null)
    },
    /** Counts a request of `/v1` for its address or its caller; 429 beyond the limit. Off unless configured. */
    limit: async (request: Request, kind: 'network' | 'principal', name: string): Promise<void> => {
      const rate = ctx.config.rateLimits.default
      if (rate === null) return
      const counter = await ctx.kv.increment(`rate:${kind}:${name}`, rate.windowSeconds)
      if (counter === null) return
      const { headers } = of(request)
      headers['ratelimit-limit'] = String(rate.limit)
      headers['ratelimit-remaining'] = String(Math.max(0, rate.limit - counter.count))
      headers['ratelimit-reset'] = String(counter.resetSeconds)
      if (counter.count > rate.limit) throw tooMany('Too many requests; slow down.', counter.resetSeconds)
    },
  }
}
