import type { Context } from '../../context.ts'
import { isAllowedHost, isAllowedOrigin } from '../../platform/http/hosts.ts'
import { API_HEADERS, addHeaders, transportSecurity } from '../../platform/http/security-headers.ts'
import { errorResponse } from './errors.ts'
import type { RequestStates } from './requests.ts'

type Handler = (request: Request, ...rest: unknown[]) => Response | Promise<Response>

/** Other clients of this API family know `/v1` under these prefixes too. */
const ALIAS = /^\/(?:service|service\/public|public)(?=\/v1(?:\/|$))/

/** What a monitor asks for comes under whatever Host it likes. */
const ANY_HOST = /^\/service\/(?:health|ready|metrics)\/?$/

const CORS_HEADERS: Readonly<Record<string, string>> = {
  'access-control-expose-headers':
    'X-Request-Id, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset',
}

/**
 * What happens to every request before and after the router: aliases, the Host check, unknown paths and methods, what
 * fails where the router can't answer, and the headers that every answer carries.
 */
export function requestPipeline(
  ctx: Context,
  requests: RequestStates,
  methodsAt: (path: string) => readonly string[],
) {
  const protection = { ...API_HEADERS, vary: 'Origin', ...transportSecurity(ctx.config.origin) }
  return (handle: (...parameters: unknown[]) => unknown): Handler => {
    const route = async (original: Request, cors: boolean, rest: unknown[]) => {
      const path = pathOf(original.url).replace(ALIAS, '')
      const refusal =
        hostError(ctx, path, hostOf(original)) ?? routeError(original.method, methodsAt(path), cors)
      if (refusal !== null) return refusal
      const request = withoutAlias(original)
      if (request !== original) requests.alias(original, request)
      requests.expectBody(original, path)
      return (await handle(request, ...rest)) as Response
    }

    return async (original, ...rest) => {
      const arrived = performance.now()
      const state = requests.of(original)
      const origin = original.headers.get('origin')
      let cors: string | null = null
      let response: Response
      try {
        if (origin !== null && isAllowedOrigin(ctx.config, origin, hostOf(original))) cors = origin
        response = await route(original, cors !== null, rest)
      } catch (error) {
        // What fails outside the router, and its handler of errors included, is answered like any other failure.
        const failure = errorResponse('UNKNOWN', error, ctx.log, state.origin.requestId)
        response = Response.json({ error: failure.error }, failure)
      } finally {
        state.body?.leave()
      }
      const seconds = (performance.now() - arrived) / 1000
      ctx.metrics.observeResponse(original.method, state.route, response.status, seconds)
      addHeaders(response.headers, protection)
      if (cors !== null)
        addHeaders(response.headers, { ...CORS_HEADERS, 'access-control-allow-origin': cors })
      addHeaders(response.headers, state.headers)
      response.headers.set('x-request-id', state.origin.requestId)
      return response
    }
  }
}

const hostOf = (request: Request): string => request.headers.get('host') ?? new URL(request.url).host

/** A path rewrite, so that the router knows each route once. */
function withoutAlias(request: Request): Request {
  const path = pathOf(request.url)
  if (!ALIAS.test(path)) return request
  const start = request.url.indexOf(path, request.url.indexOf('://') + 3)
  const url = request.url.slice(0, start) + path.replace(ALIAS, '') + request.url.slice(start + path.length)
  // Without the body, which is read from the original: a copy would have the runtime keep it twice.
  return new Request(url, { method: request.method, headers: request.headers })
}

const hostError = (ctx: Context, path: string, host: string): Response | null =>
  ANY_HOST.test(path) || isAllowedHost(ctx.config, host)
    ? null
    : Response.json({ error: 'This Host is not served here; see ALLOWED_HOSTS.' }, { status: 400 })

/** The answer to a path or method that no route has, and to OPTIONS; null when a route is there. */
function routeError(method: string, methods: readonly string[], isCors: boolean): Response | null {
  if (methods.includes(method)) return null
  if (methods.length === 0) {
    return Response.json({ error: 'There is nothing at this path.' }, { status: 404 })
  }
  const allow = { allow: methods.join(', ') }
  if (method === 'OPTIONS') {
    return new Response(null, { status: 204, headers: isCors ? { ...allow, ...preflight(methods) } : allow })
  }
  return Response.json({ error: 'This path does not know this method.' }, { status: 405, headers: allow })
}

const preflight = (methods: readonly string[]) => ({
  'access-control-allow-methods': methods.join(', '),
  'access-control-allow-headers': 'Authorization, Content-Type',
  'access-control-max-age': '600',
})

function pathOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('://') + 3)
  const end = url.search(/[?#]/)
  return start === -1 ? '/' : url.slice(start, end === -1 ? undefined : end)
}
