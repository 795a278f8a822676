import { tracing } from '../tracing.ts'

/** A client may send any word as a method: only these are named. */
export const KNOWN_METHODS: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
])

/** The paths that programs ask again and again: they have no spans. */
const PROBES = /^https?:\/\/[^/]*\/(?:service\/(?:health|ready)|api\/health)\/?(?:[?#]|$)/

/** How a request is traced: by what it may belong to, and what is known of it once it is answered. */
type Traced = Readonly<{
  /** The `traceparent` of a trusted proxy. */
  traceparent(): string | null
  /** The path of the route, such as `/v1/roles/:id`; null where there is none. */
  route(): string | null
}>

/**
 * Answers a request, with a span while tracing is on. The span has the method, the route and the status: neither the path,
 * which may hold anything, nor the query, a header or the client's address.
 */
export function traceRequest(
  request: Request,
  { traceparent, route }: Traced,
  answer: () => Promise<Response>,
): Promise<Response> {
  const trace = tracing()
  if (trace === null || PROBES.test(request.url)) return answer()
  const method = KNOWN_METHODS.has(request.method) ? request.method : '_OTHER'
  const word = method === '_OTHER' ? 'HTTP' : method
  return trace.follow('server', word, traceparent(), async (span) => {
    const response = await answer()
    const pattern = route()
    span.describe(pattern === null ? word : `${word} ${pattern}`, {
      'http.request.method': method,
      'http.response.status_code': response.status,
      ...(pattern !== null && { 'http.route': pattern }),
    })
    if (response.status >= 500) span.fail(String(response.status))
    return response
  })
}
