import { randomUUID } from 'node:crypto'
import type { Context } from '../context.ts'
import { isAllowedHost } from '../platform/http/hosts.ts'
import type { FetchHandler } from '../platform/http/http-server.ts'
import { API_HEADERS } from '../platform/http/security-headers.ts'
import { readiness } from '../platform/postgres/readiness.ts'

/**
 * What a worker that runs by itself answers over HTTP: `/service/health/` and `/service/ready/`, under any Host, as
 * the backend does. Nothing else is there; a Host that is not served is refused first.
 */
export function workerHealth(ctx: Pick<Context, 'config' | 'db' | 'log' | 'schemaVersion'>): FetchHandler {
  const look = readiness(ctx)
  const answers: Readonly<Record<string, () => Response | Promise<Response>>> = {
    '/service/health': () => json(200, { status: 'alive', version: ctx.config.version }),
    '/service/ready': async () => {
      const found = await look()
      if (found.fault !== null) return json(503, { error: found.fault }, { 'retry-after': '1' })
      return json(200, { status: 'ready', schema: found.schema })
    },
  }
  return (request) => {
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
