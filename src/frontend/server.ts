import { randomUUID } from 'node:crypto'
import type { Config } from '../config.ts'
import { accepts, wantsPage } from '../platform/http/accepts.ts'
import { isAllowedHost } from '../platform/http/hosts.ts'
import { traceRequest } from '../platform/http/request-spans.ts'
import { addHeaders, transportSecurity } from '../platform/http/security-headers.ts'
import type { FetchHandler, Handler } from '../platform/http/server.ts'
import type { Log } from '../platform/log.ts'
import type { Metrics } from '../platform/metrics.ts'
import type { BuiltFile, FindFile } from './files.ts'

/** Where the pages of the console begin. Any path below belongs to the page that its routes name. */
const PAGES =
  /^\/(?:$|(?:access|apps|audit|dev|forgot-password|invite|members|reset-password|roles|service-accounts|settings|setup|sign-in|verify-email|webauth)(?:\/|$))/

/** The document of every page. */
const PAGE = '/index.html'

/** The files whose names hold the hash of their content. */
const HASHED = '/assets/'

/** The page that hands a token to the command line, which listens on a port of the reader's machine. */
const CONNECT = /^\/webauth\//

/** The older redirect address of single sign-on. The backend answers it, too, where it gets the request. */
const CALLBACK = /^\/api\/auth\/callback\/([a-z0-9-]{1,40})\/?$/

const HEADERS = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

const policy = (connect: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src ${connect}`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

const POLICY = policy("'self'")
const CONNECT_POLICY = policy("'self' http://127.0.0.1:*")

/** Serves the console and `/config.json`, and `/api/health` for any Host. */
export function createFrontend(
  config: Config,
  log: Log,
  findFile: FindFile,
  metrics: Metrics | null = null,
): FetchHandler {
  const protection = { ...HEADERS, ...transportSecurity(config.origin) }
  const answer = async (request: Request): Promise<Response> => {
    const url = new URL(request.url)
    if (/^\/api\/health\/?$/.test(url.pathname)) {
      return isRead(request) ? json(200, { status: 'alive' }) : wrongMethod()
    }
    if (!isAllowedHost(config, request.headers.get('host') ?? url.host)) {
      return json(400, { error: 'This host name is not allowed. Add it to ALLOWED_HOSTS.' })
    }
    const callback = CALLBACK.exec(url.pathname)
    if (callback !== null) {
      return isRead(request)
        ? redirect(`/service/auth/sso/${callback[1]}/callback/${url.search}`)
        : wrongMethod()
    }
    if (/^\/config\.json\/?$/.test(url.pathname)) {
      return isRead(request) ? json(200, { version: config.version }) : wrongMethod()
    }
    const isPage = PAGES.test(url.pathname)
    const path = isPage ? PAGE : url.pathname
    const file = await findFile(path)
    if (file === null) return isPage ? json(503, { error: NOT_BUILT }) : await notFound(request)
    if (!isRead(request)) return wrongMethod()
    return fileResponse(file, path.startsWith(HASHED), request)
  }
  /** Browsers that open an unknown path get the console, which says that there is no such page; all else gets JSON. */
  const notFound = async (request: Request): Promise<Response> => {
    const page = isRead(request) && wantsPage(request) ? await findFile(PAGE) : null
    const response = page === null ? json(404, { error: NOT_FOUND }) : fileResponse(page, false, request, 404)
    response.headers.append('vary', 'accept')
    return response
  }
  const serve = async (request: Request): Promise<Response> => {
    const requestId = randomUUID()
    const start = performance.now()
    const response = await answer(request).catch((error: unknown) => {
      log.error({ requestId, code: (error as { code?: string }).code }, 'A request failed')
      return json(500, { error: "Internal error. The log has the details under the request's id." })
    })
    addHeaders(response.headers, protection)
    const { pathname } = new URL(request.url)
    response.headers.set('content-security-policy', CONNECT.test(pathname) ? CONNECT_POLICY : POLICY)
    response.headers.set('x-request-id', requestId)
    const seconds = (performance.now() - start) / 1000
    metrics?.observeResponse(request.method, routeOf(request), response.status, seconds)
    return response
  }
  return (request) =>
    traceRequest(request, { traceparent: () => null, route: () => routeOf(request) }, () => serve(request))
}

/** Both on one port: the backend answers its own paths, the frontend all others. */
export function besideBackend({ fetch, expectBody, ...rest }: Handler, frontend: FetchHandler): Handler {
  const isForBackend = ({ url }: Request) => BACKEND_PATHS.test(new URL(url).pathname)
  return {
    ...rest,
    fetch: (request) => (isForBackend(request) ? fetch(request) : frontend(request)),
    expectBody: expectBody && ((request) => (isForBackend(request) ? expectBody(request) : null)),
  }
}

// Some clients begin paths with two slashes, where their host was set with one at its end.
const BACKEND_PATHS = /^\/+(v1|service|public|swagger|api\/auth\/callback)(\/|$)/

/** What is served, in a word for metrics and traces; null for any other path, which may hold anything. */
function routeOf(request: Request): string | null {
  const path = new URL(request.url).pathname
  if (PAGES.test(path)) return '/'
  if (path.startsWith(HASHED)) return '/assets'
  return /^\/(?:api\/health|config\.json)\/?$/.exec(path)?.[0].replace(/\/$/, '') ?? null
}

const isRead = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD'

const NOT_FOUND = 'Not found: there is nothing at this path.'
const NOT_BUILT = 'The console has not been built. Run `bun start`, or `bun src/frontend/build.ts`.'

function fileResponse(
  { type, content, brotli }: BuiltFile,
  isHashed: boolean,
  request: Request,
  status = 200,
): Response {
  const usesBrotli = brotli !== null && accepts(request.headers.get('accept-encoding'), 'br')
  const body = usesBrotli ? brotli : content
  const headers = {
    'content-type': type,
    ...(body instanceof Blob && { 'content-length': String(body.size) }),
    // A page names the files of its build; those never change.
    'cache-control': isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
    ...(brotli === null ? {} : { vary: 'accept-encoding' }),
    ...(usesBrotli ? { 'content-encoding': 'br' } : {}),
  }
  return new Response(body, { status, headers })
}

const json = (status: number, body: object, headers = {}) =>
  Response.json(body, { status, headers: { 'cache-control': 'no-store', ...headers } })

const redirect = (location: string) =>
  new Response(null, { status: 302, headers: { location, 'cache-control': 'no-store' } })

const wrongMethod = () => json(405, { error: 'Method not allowed.' }, { allow: 'GET, HEAD' })
