import type { Context } from '../../context.ts'
import { isAllowedHost, isAllowedOrigin } from '../../platform/http/hosts.ts'
import { traceRequest } from '../../platform/http/request-spans.ts'
import { API_HEADERS, addHeaders, transportSecurity } from '../../platform/http/security-headers.ts'
import { withinDeadline } from '../../platform/postgres/deadlines.ts'
import { tracing } from '../../platform/tracing.ts'
import type { Sharer } from '../../platform/turn-queues.ts'
import { createAnswers } from './answers.ts'
import { errorResponse, NOT_FOUND, toResponse } from './errors.ts'
import { notServed, pathOf, routePathOf } from './paths.ts'
import { hostOf, type RequestStates } from './requests.ts'
import type { routeTable } from './routes.ts'

type Handle = (request: Request, ...rest: unknown[]) => Response | Promise<Response>

/** Health and readiness are served for any Host. */
const ANY_HOST = /^\/service\/(?:health|ready)\/?$/

/** The share of all probes: an orchestrator restarts a backend that answers them late. */
const PROBES = 'probes'

/** Reads that change something and ask an identity provider, which has a deadline of its own. */
const ASKS_A_PROVIDER = /^\/service\/auth\/sso\/[^/]+\/(?:authorize|callback)\/?$/

const CORS_HEADERS: Readonly<Record<string, string>> = {
  'access-control-expose-headers':
    'X-Request-Id, ETag, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset',
}

/**
 * The request pipeline, with what a server asks before a request begins. `wrap` puts it around the router: aliases, Host
 * check, 404 and 405, errors outside the router, response headers and metrics.
 */
export function requestPipeline(
  ctx: Context,
  requests: RequestStates,
  table: Pick<
    ReturnType<typeof routeTable>,
    'methodsAt' | 'mayBeRemembered' | 'headersOf' | 'takesAnyContentType'
  >,
) {
  const protection = { ...API_HEADERS, vary: 'Origin', ...transportSecurity(ctx.config.origin) }
  const answers = createAnswers(ctx, requests, protection)
  const expectBody = (request: Request, path: string) =>
    requests.expectBody(request, path, table.takesAnyContentType(request.method, path))
  const wrap = (handle: (...parameters: unknown[]) => unknown): Handle => {
    const route = async (original: Request, sent: string, path: string, cors: boolean, rest: unknown[]) => {
      const error =
        hostError(ctx, path, hostOf(original)) ??
        notServedError(path) ??
        routeError(original.method, table.methodsAt(path), cors)
      if (error !== null) return error
      const request = asRouted(original, sent, path)
      if (request !== original) requests.shareState(original, request)
      const start = performance.now()
      const state = requests.of(original)
      const respond = () => {
        const handling = Promise.resolve(handle(request, ...rest) as Response | Promise<Response>)
        // Also where the answer is no longer waited for: only then has the caller's work ended.
        const handled = handling.finally(() => {
          state.endTurn?.()
          state.endBlocking?.()
          state.isHandled = true
          if (state.isAnswered) state.endLargeRead?.()
        })
        // Looking up the caller, waiting for a turn and reading each have a deadline of their own, and would add up.
        const isRead = /^(GET|HEAD)$/.test(original.method) && !ASKS_A_PROVIDER.test(path)
        const deadline = Math.max(0, start + ctx.db.deadlines.statementMilliseconds - performance.now())
        return withinDeadline(handled, isRead ? deadline : Infinity)
      }
      if (request.method === 'GET' && table.mayBeRemembered(path)) {
        return await answers.recall(request, respond, table.headersOf(path))
      }
      return await answers.send(request, await respond())
    }

    const answer = async (original: Request, rest: unknown[]): Promise<Response> => {
      const start = performance.now()
      const state = requests.of(original)
      const origin = original.headers.get('origin')
      let cors: string | null = null
      let response: Response
      try {
        const sent = pathOf(original.url)
        const path = routePathOf(sent)
        expectBody(original, path)
        if (origin !== null && isAllowedOrigin(ctx.config, origin, hostOf(original))) cors = origin
        response = await route(original, sent, path, cors !== null, rest)
      } catch (error) {
        // The router's own error handler does not see errors that are thrown before it, or by the handler itself.
        response = toResponse(errorResponse('UNKNOWN', error, ctx.log, state.source.requestId))
      } finally {
        state.body?.discard()
        state.isAnswered = true
        if (state.isHandled) state.endLargeRead?.()
      }
      const seconds = (performance.now() - start) / 1000
      ctx.metrics.observeResponse(original.method, state.route, response.status, seconds)
      addHeaders(response.headers, protection)
      if (cors !== null)
        addHeaders(response.headers, { ...CORS_HEADERS, 'access-control-allow-origin': cors })
      addHeaders(response.headers, state.headers)
      response.headers.set('x-request-id', state.source.requestId)
      return original.method === 'HEAD' ? await withoutBody(response) : response
    }

    return (original, ...rest) => {
      if (tracing() === null) return answer(original, rest)
      return traceRequest(
        original,
        { traceparent: () => requests.traceparentOf(original), route: () => requests.of(original).route },
        () => answer(original, rest),
      )
    }
  }

  const senderOf = (request: Request): Sharer =>
    ANY_HOST.test(pathOf(request.url)) ? PROBES : requests.presumedSenderOf(request)

  return {
    wrap,
    senderOf,
    beginChunked: (request: Request) => requests.beginChunked(request, senderOf(request)),
    expectBody: (request: Request) => expectBody(request, routePathOf(pathOf(request.url))),
  }
}

/** The request with its path rewritten, and HEAD as GET, so that each route is declared once. */
function asRouted(request: Request, sent: string, path: string): Request {
  const method = request.method === 'HEAD' ? 'GET' : request.method
  if (path === sent && method === request.method) return request
  const start = request.url.indexOf(sent, request.url.indexOf('://') + 3)
  const url = request.url.slice(0, start) + path + request.url.slice(start + sent.length)
  // Without the body, which is read from the original: the runtime would keep a copy in memory.
  return new Request(url, { method, headers: request.headers, signal: request.signal })
}

/** The answer to a HEAD: that of the GET, of which only the length is told. */
async function withoutBody(response: Response): Promise<Response> {
  const { status, headers, body } = response
  if (body === null) return response
  if (headers.has('content-length')) await body.cancel()
  else headers.set('content-length', String((await response.arrayBuffer()).byteLength))
  return new Response(null, { status, headers })
}

const hostError = (ctx: Context, path: string, host: string): Response | null =>
  ANY_HOST.test(path) || isAllowedHost(ctx.config, host)
    ? null
    : Response.json({ error: 'This host name is not allowed. Add it to ALLOWED_HOSTS.' }, { status: 400 })

function notServedError(path: string): Response | null {
  const error = notServed(path)
  return error === null ? null : Response.json({ error }, { status: 404 })
}

/** The response to an unknown path or method, and to OPTIONS; null when there is a route. */
function routeError(method: string, methods: readonly string[], isCors: boolean): Response | null {
  if (methods.includes(method)) return null
  if (methods.length === 0) {
    return Response.json({ error: NOT_FOUND }, { status: 404 })
  }
  const allow = { allow: methods.join(', ') }
  if (method === 'OPTIONS') {
    return new Response(null, { status: 204, headers: isCors ? { ...allow, ...preflight(methods) } : allow })
  }
  return Response.json({ error: 'Method not allowed.' }, { status: 405, headers: allow })
}

const preflight = (methods: readonly string[]) => ({
  'access-control-allow-methods': methods.join(', '),
  'access-control-allow-headers':
    'Authorization, Content-Type, If-Match, If-None-Match, Environment, Path, KeyDigest, Tags, X-Use-Camel-Case',
  'access-control-max-age': '600',
})
