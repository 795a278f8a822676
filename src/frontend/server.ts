import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Config } from '../config.ts'
import { isAllowedHost } from '../platform/http/hosts.ts'
import { addHeaders, transportSecurity } from '../platform/http/security-headers.ts'
import type { FetchHandler } from '../platform/http/server.ts'
import { createLog } from '../platform/log.ts'

const FOLDER = new URL('./assets/', import.meta.url)

/** Every file that is served, by its path. */
const ASSETS: Readonly<Record<string, { file: string; type: string }>> = {
  '/': { file: 'index.html', type: 'text/html; charset=utf-8' },
  '/keyward.css': { file: 'keyward.css', type: 'text/css; charset=utf-8' },
}

const HEADERS = {
  'content-security-policy':
    "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/** Serves the console's files, and `/api/health` for any Host. */
export function createFrontend(config: Config, log = createLog(config.logLevel)): FetchHandler {
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
    const asset = ASSETS[url.pathname]
    if (asset === undefined) return json(404, { error: 'Not found: there is nothing at this path.' })
    if (!isRead) return wrongMethod()
    const headers = { 'content-type': asset.type, 'cache-control': 'no-cache' }
    return new Response(await readFile(new URL(asset.file, FOLDER)), { headers })
  }
  return async (request) => {
    const requestId = randomUUID()
    const response = await answer(request).catch((error: unknown) => {
      log.error({ requestId, code: (error as { code?: string }).code }, 'A request failed')
      return json(500, { error: "Internal error. The log has the details under the request's id." })
    })
    addHeaders(response.headers, protection)
    response.headers.set('x-request-id', requestId)
    return response
  }
}

const json = (status: number, body: object, headers = {}) =>
  Response.json(body, { status, headers: { 'cache-control': 'no-store', ...headers } })

const wrongMethod = () => json(405, { error: 'Method not allowed.' }, { allow: 'GET, HEAD' })
