import { METRICS_CONTENT_TYPE } from '../metrics.ts'
import { API_HEADERS } from './security-headers.ts'
import type { FetchHandler } from './server.ts'

/** The page of a port that has metrics alone: `/service/metrics/`, or `/metrics`, for any Host. */
export function metricsPage(text: () => Promise<string>): FetchHandler {
  return async (request) => {
    const { pathname } = new URL(request.url)
    if (!/^(?:\/service)?\/metrics\/?$/.test(pathname)) {
      return json(404, { error: 'Not found: on this port there are only the metrics, at /service/metrics/.' })
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return json(405, { error: 'Method not allowed.' }, { allow: 'GET, HEAD' })
    }
    return new Response(await text(), { headers: { ...API_HEADERS, 'content-type': METRICS_CONTENT_TYPE } })
  }
}

const json = (status: number, body: object, headers = {}) =>
  Response.json(body, { status, headers: { ...API_HEADERS, ...headers } })
