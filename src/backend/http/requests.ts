import type { Context } from '../../context.ts'
import { type Caller, callerId, sharerOf } from '../../core/actor.ts'
import { acceptedBefore, authenticate, confirmVersion } from '../../core/authentication/authenticate.ts'
import { tooMany } from '../../core/errors.ts'
import { networkOf, siteOf, visitorFrom } from '../../core/networks.ts'
import { memberDevice } from '../../core/sign-in/devices.ts'
import { createChunkedRequests } from '../../platform/http/chunked-requests.ts'
import { SMALL_BODY_BYTES } from '../../platform/http/server.ts'
import type { Sharer } from '../../platform/turn-queues.ts'
import { createBodies } from './body.ts'
import { readDeviceCookies } from './cookies.ts'
import { requireUsableQuery } from './query.ts'
import { type PeerAddress, sourceReader, traceparentReader } from './request-source.ts'
import { callerIn, type RequestState } from './request-state.ts'
import { createTurns } from './turns.ts'

/** A body that takes longer is late: the caller may have lost rights meanwhile. Most arrive with their requests. */
const LATE_MILLISECONDS = 250

export type RequestStates = ReturnType<typeof createRequestStates>

/** State of each request in progress: its source, caller, body and response headers. */
export function createRequestStates(ctx: Context, peerAddress: PeerAddress) {
  const states = new WeakMap<Request, RequestState>()
  const readSource = sourceReader(ctx.config.trustedProxies, peerAddress, ctx.log)
  const traceparentOf = traceparentReader(ctx.config.trustedProxies, peerAddress)
  const bodies = createBodies()
  const chunkedRequests = createChunkedRequests()
  const isLimited = ctx.config.rateLimits.default !== null

  const of = (request: Request): RequestState => {
    const known = states.get(request)
    if (known !== undefined) return known
    const state: RequestState = {
      source: readSource(request),
      caller: null,
      authentication: null,
      version: null,
      route: null,
      hasETag: false,
      isRemembered: false,
      isScan: false,
      parameters: [],
      headers: {},
      spend: undefined,
      body: null,
      reading: null,
      endTurn: null,
      endLargeRead: null,
      endBlocking: null,
      isHandled: false,
      isAnswered: false,
    }
    states.set(request, state)
    return state
  }

  /** Counts a request to `/v1` or `/service/secrets` for its network or its principal; 429 beyond the limit. Off unless configured. */
  const limit = async (state: RequestState, kind: 'network' | 'principal', name: string): Promise<void> => {
    const rate = ctx.config.rateLimits.default
    if (rate === null) return
    const counter = await ctx.kv.increment(`rate:${kind}:${name}`, rate.windowSeconds)
    if (counter === null) return
    const { headers } = state
    headers['ratelimit-limit'] = String(rate.limit)
    headers['ratelimit-remaining'] = String(Math.max(0, rate.limit - counter.count))
    headers['ratelimit-reset'] = String(counter.resetSeconds)
    if (counter.count > rate.limit) throw tooMany('Too many requests.', counter.resetSeconds)
  }
  const confirm = (state: RequestState): Promise<string> => {
    state.version ??= confirmVersion(ctx)
    return state.version
  }
  const identify = async (request: Request, state: RequestState): Promise<Caller> => {
    const authorization = request.headers.get('authorization')
    state.caller = await authenticate(ctx, authorization, state.source, () => confirm(state))
    return state.caller
  }
  const authenticated = async (request: Request, state: RequestState): Promise<Caller> => {
    const { source } = state
    if (isLimited && source.ipAddress !== null) await limit(state, 'network', networkOf(source.ipAddress))
    const caller = await identify(request, state)
    if (isLimited) await limit(state, 'principal', callerId(caller))
    return caller
  }

  /** Whose request it seems to be, by credentials that were accepted before or a member's device cookie; null without. */
  const knownSenderOf = (request: Request): Sharer | null =>
    acceptedBefore(ctx, request.headers.get('authorization')) ??
    memberDevice(ctx, readDeviceCookies(ctx.config, request))

  return {
    of,
    traceparentOf,
    /** The version of the state at some moment after the request arrived. */
    confirm: (request: Request): Promise<string> => confirm(of(request)),
    /** Who calls with which token; 401, and 429 beyond the limits. Once for a request, however often it is called. */
    authenticate: (request: Request): Promise<Caller> => {
      const state = of(request)
      state.authentication ??= authenticated(request, state)
      return state.authentication
    },
    /** Who calls now: rights may have gone while a late body was waited for. 401 as `authenticate`. */
    authenticateAgain: (request: Request): Promise<Caller> => {
      const state = of(request)
      state.version = null
      return identify(request, state)
    },
    /** Gives `copy` the state of `original`. */
    shareState: (original: Request, copy: Request) => {
      states.set(copy, of(original))
    },
    setCaller: (request: Request, caller: Caller) => {
      of(request).caller = caller
    },
    callerOf: (request: Request): Caller => callerIn(of(request)),
    /**
     * Whose request it seems to be, before credentials are checked: only whose turn it is may depend on it. Visitors have one
     * share together.
     */
    presumedSenderOf: (request: Request): Sharer =>
      knownSenderOf(request) ?? visitorFrom(of(request).source.ipAddress),
    ...createTurns(ctx, of),
    /** Counts a request with a body in chunks as under way; gives what ends that, null where its sender has too many. */
    beginChunked: (request: Request, sender: Sharer): (() => void) | null => {
      const begun = chunkedRequests.begin(sender)
      of(request).spend = begun?.spend
      return begun?.leave ?? null
    },
    /** Registers the body of a request before routing, the first time; gives what forgets it. */
    expectBody: (request: Request, path: string, anyContentType = false): (() => void) => {
      const state = of(request)
      const origin = {
        site: () => siteOf(state.source.ipAddress),
        knownSender: () => knownSenderOf(request),
        spend: state.spend,
      }
      state.body ??= bodies.arrive(request, path, origin, anyContentType)
      return state.body.discard
    },
    /** 400 for a query that can't be used, whatever the route. Only after credentials and permission are checked. */
    requireUsableQuery: (request: Request): void => requireUsableQuery(request.url, of(request).parameters),
    /**
     * Reads the body, null when there is none. Only after credentials and permission are checked. Waits for `beforeParsing`
     * once it has come, which is told whether it was late, and then for a turn to block the event loop where it is large: its
     * schema is to be checked at once, and then `bodyIsChecked` called.
     */
    readBody: async (
      request: Request,
      beforeParsing: (isLate: boolean) => Promise<void>,
    ): Promise<unknown> => {
      const state = of(request)
      const { body, caller, source } = state
      if (body === null) throw new Error('this request did not pass the request pipeline')
      const site = siteOf(source.ipAddress)
      const start = performance.now()
      return await body.read(caller === null ? site : sharerOf(caller), caller !== null, async (bytes) => {
        await beforeParsing(performance.now() - start > LATE_MILLISECONDS)
        if (bytes <= SMALL_BODY_BYTES) return
        state.endBlocking = await ctx.waitToBlock(
          caller === null ? visitorFrom(source.ipAddress) : sharerOf(caller),
        )
      })
    },
    /** Lets others block the event loop. */
    bodyIsChecked: (request: Request): void => of(request).endBlocking?.(),
  }
}

/** The host that a request asks for. */
export const hostOf = (request: Request): string => request.headers.get('host') ?? new URL(request.url).host
