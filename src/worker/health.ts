import { randomUUID } from 'node:crypto'
import type { Context } from '../context.ts'
import { isAllowedHost } from '../platform/http/hosts.ts'
import { API_HEADERS } from '../platform/http/security-headers.ts'
import type { FetchHandler } from '../platform/http/server.ts'
import { readiness } from '../platform/postgres/readiness.ts'

/**
 * The HTTP server of a separate worker: `/service/health/` and `/service/ready/`, for any Host as on the backend, and
 * nothing else.
 */
export function workerHealth(ctx: Pick<Context, 'config' | 'db' | 'log' | 'schemaVersion'>): FetchHandler {
  const check = readiness(ctx)
  const answers: Readonly<Record<string, () => Response | Promise<Response>>> = {
    '/service/health': () => json(200, { status: 'alive', version: ctx.config.version }),
    '/service/ready': async () => {
      const found = await check()
      if (found.problem !== null) return json(503, { error: found.problem }, { 'retry-after': '1' })
      return json(200, { status: 'ready', schema: found.schema })
    },
  }
  return async (request) => {
    const url = new URL(request.url)
    const answer = answers[url.pathname.replace(/\/$/, '')]
    if (answer === undefined) {
      return isAllowedHost(ctx.config, request.headers.get('host') ?? url.host)
        ? json(404, { error: 'Not found: there is nothing at this path.' })
        : json(400, { error: 'This host name is not allowed. Add it to ALLOWED_HOSTS.' })
    }
    if (request.method === 'GET' || request.method === 'HEAD') return answer()
    return json(405, { error: 'Method not allowed.' }, { allow: 'GET, HEAD' })
  }
}

const json = (status: number, body: object, headers = {}) =>
  Response.json(body, {
    status,
    headers: { ...API_HEADERS, 'x-request-id': randomUUID(), ...headers },
  })
