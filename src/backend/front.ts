import type { Context } from '../context.ts'
import { isAllowedHost, isAllowedOrigin } from '../platform/hosts.ts'
import type { Requests } from './requests.ts'

type Handler = (request: Request, ...rest: unknown[]) => Response | Promise<Response>

/** Other clients of this API family know `/v1` under these prefixes too. */
const ALIAS = /^\/(?:service|service\/public|public)(?=\/v1(?:\/|$))/

/** What a monitor asks for comes under whatever Host it likes. */
const ANY_HOST = /^\/service\/(?:health|ready|metrics)\/?$/

const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  vary: 'Origin',
}

const CORS_HEADERS: Readonly<Record<string, string>> = {
  'access-control-expose-headers':
    'X-Request-Id, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset',
}

/**
 * What happens to every request before and after the router: aliases, the Host check, unknown paths and methods, and
 * the headers that every answer carries.
 */
export function front(ctx: Context, requests: Requests, methodsAt: (path: string) => readonly string[]) {
  const isHttps = ctx.config.origin.startsWith('https:')
  return (handle: (...parameters: unknown[]) => unknown): Handler =>
    async (original, ...rest) => {
      const arrived = performance.now()
      const request = withoutAlias(original)
      if (request !== original) requests.alias(original, request)
      const path = pathOf(request.url)
      const host = original.headers.get('host') ?? new URL(original.url).host
      const origin = request.headers.get('origin')
      const cors = origin !== null && isAllowedOrigin(ctx.config, origin, host) ? origin : null

      const response =
        refusalOfHost(ctx, path, host) ??
        refusalOfMethod(request.method, methodsAt(path), cors !== null) ??
        ((await handle(request, ...rest)) as Response)
      const { route, headers, origin: from } = requests.of(request)
      ctx.metrics.answered(request.method, route, response.status, (performance.now() - arrived) / 1000)
      addHeaders(response.headers, SECURITY_HEADERS)
      if (isHttps) response.headers.set('strict-transport-security', 'max-age=31536000')
      if (cors !== null)
        addHeaders(response.headers, { ...CORS_HEADERS, 'access-control-allow-origin': cors })
      addHeaders(response.headers, headers)
      response.headers.set('x-request-id', from.requestId)
      return response
    }
}

/** A path rewrite, so that the router knows each route once. */
function withoutAlias(request: Request): Request {
  const path = pathOf(request.url)
  if (!ALIAS.test(path)) return request
  const start = request.url.indexOf(path, request.url.indexOf('://') + 3)
  const url = request.url.slice(0, start) + path.replace(ALIAS, '') + request.url.slice(start + path.length)
  return new Request(url, request)
}

const refusalOfHost = (ctx: Context, path: string, host: string): Response | null =>
  ANY_HOST.test(path) || isAllowedHost(ctx.config, host)
    ? null
    : Response.json({ error: 'This Host is not served here; see ALLOWED_HOSTS.' }, { status: 400 })

/** The answer to a path or method that no route has, and to OPTIONS; null when a route is there. */
function refusalOfMethod(method: string, methods: readonly string[], isCors: boolean): Response | null {
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

/** A header that an answer brings itself stays as it is. */
function addHeaders(headers: Headers, more: Readonly<Record<string, string>>): void {
  for (const name in more) if (!headers.has(name)) headers.set(name, more[name] ?? '')
}

function pathOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('://') + 3)
  const end = url.search(/[?#]/)
  return start === -1 ? '/' : url.slice(start, end === -1 ? undefined : end)
}
