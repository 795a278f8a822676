import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Config } from '../config.ts'
import type { LinkPurpose } from '../core/links/link.ts'
import { isAllowedHost } from '../platform/http/hosts.ts'
import { traceRequest } from '../platform/http/request-spans.ts'
import { addHeaders, transportSecurity } from '../platform/http/security-headers.ts'
import type { FetchHandler } from '../platform/http/server.ts'
import { createLog } from '../platform/log.ts'
import type { Metrics } from '../platform/metrics.ts'

const FOLDER = new URL('./assets/', import.meta.url)

/** The paths that links lead to, and what the page says there about the link. */
const LINKS: Readonly<Record<'/' | `/${LinkPurpose}`, string>> = {
  '/': '<p>You followed a set-up link? Send what it has after <code>setup_token=</code> as <code>setup_token</code> with the first registration, <code>POST /service/auth/password/register/</code>, or to sign in with a provider, <code>POST /service/auth/sso/…/authorize/</code>.</p>',
  '/invite':
    '<p>This link invites you to join an organisation. Its token is everything after the <code>#</code> in the address.</p>\n' +
    '<p>If you have no account yet, send it as <code>invite</code> when you register, <code>POST /service/auth/password/register/</code>, or sign in with a provider, <code>POST /service/auth/sso/…/authorize/</code>. If you have one, sign in and send it as <code>token</code> to <code>POST /service/auth/invites/accept/</code>.</p>',
  '/verify-email':
    '<p>This link verifies your e-mail address. Send everything after the <code>#</code> in the address as <code>token</code> to <code>POST /service/auth/email/verify/</code>.</p>',
  '/reset-password':
    '<p>This link sets a new password. Send everything after the <code>#</code> in the address as <code>token</code>, with your <code>new_password</code>, to <code>POST /service/auth/password/reset/</code>.</p>',
}

type Asset = { file: string; type: string; link?: string }

/** Every file that is served, by its path. */
const ASSETS: ReadonlyMap<string, Asset> = new Map<string, Asset>([
  ...Object.entries(LINKS).map(
    ([path, link]) => [path, { file: 'index.html', type: 'text/html; charset=utf-8', link }] as const,
  ),
  ['/keyward.css', { file: 'keyward.css', type: 'text/css; charset=utf-8' }],
])

/** The older redirect address of single sign-on. The backend answers it, too, where it gets the request. */
const CALLBACK = /^\/api\/auth\/callback\/([a-z0-9-]{1,40})\/?$/

const HEADERS = {
  'content-security-policy':
    "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/** Serves the console's files, and `/api/health` for any Host. */
export function createFrontend(
  config: Config,
  log = createLog(config.logLevel),
  metrics: Metrics | null = null,
): FetchHandler {
  const protection = { ...HEADERS, ...transportSecurity(config.origin) }
  const answer = async (request: Request): Promise<Response> => {
    const url = new URL(request.url)
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (/^\/api\/health\/?$/.test(url.pathname)) {
      return isRead ? json(200, { status: 'alive' }) : wrongMethod()
    }
    if (!isAllowedHost(config, request.headers.get('host') ?? url.host)) {
      return json(400, { error: 'This host name is not allowed. Add it to ALLOWED_HOSTS.' })
    }
    const callback = CALLBACK.exec(url.pathname)
    if (callback !== null) {
      return isRead ? redirect(`/service/auth/sso/${callback[1]}/callback/${url.search}`) : wrongMethod()
    }
    const asset = ASSETS.get(withoutSlash(url.pathname))
    if (asset === undefined) return json(404, { error: 'Not found: there is nothing at this path.' })
    if (!isRead) return wrongMethod()
    const headers = { 'content-type': asset.type, 'cache-control': 'no-cache' }
    return new Response(await contentOf(asset), { headers })
  }
  const serve = async (request: Request): Promise<Response> => {
    const requestId = randomUUID()
    const start = performance.now()
    const response = await answer(request).catch((error: unknown) => {
      log.error({ requestId, code: (error as { code?: string }).code }, 'A request failed')
      return json(500, { error: "Internal error. The log has the details under the request's id." })
    })
    addHeaders(response.headers, protection)
    response.headers.set('x-request-id', requestId)
    const seconds = (performance.now() - start) / 1000
    metrics?.observeResponse(request.method, routeOf(request), response.status, seconds)
    return response
  }
  return (request) =>
    traceRequest(request, { traceparent: () => null, route: () => routeOf(request) }, () => serve(request))
}

/** The path of what is served; null for any other, which may hold anything. */
function routeOf(request: Request): string | null {
  const path = withoutSlash(new URL(request.url).pathname)
  return ASSETS.has(path) || path === '/api/health' ? path : null
}

const withoutSlash = (path: string): string => path.replace(/(.)\/$/, '$1')

async function contentOf({ file, link = '' }: Asset): Promise<string> {
  const text = await readFile(new URL(file, FOLDER), 'utf8')
  return text.replace('<!-- link -->', () => link)
}

const json = (status: number, body: object, headers = {}) =>
  Response.json(body, { status, headers: { 'cache-control': 'no-store', ...headers } })

const redirect = (location: string) =>
  new Response(null, { status: 302, headers: { location, 'cache-control': 'no-store' } })

const wrongMethod = () => json(405, { error: 'Method not allowed.' }, { allow: 'GET, HEAD' })
