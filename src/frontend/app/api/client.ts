import { treaty } from '@elysiajs/eden'
import type { App } from '../../../backend/app.ts'
import { ApiError, sentenceOf } from './errors.ts'
import { tellFactorNeeded } from './factor-needed.ts'
import { isFactorNeeded } from './refusals.ts'
import { currentBearer, hasBearer, renewBearer } from './session.ts'

/** Routes under `/service/auth/` that work without a session, or give one. */
const WITHOUT_BEARER = /^\/service\/auth\//

/** The API of this origin, typed by the server's own routes: `api.v1.roles.get({ query: { limit: 50 } })`. */
export const api = treaty<App>(location.origin, {
  parseDate: false,
  fetcher: send as typeof fetch,
})

type Answer = { data: unknown; error: { status: unknown; value: unknown } | null; response: Response }

type Data<A> = A extends { data: infer D } ? Exclude<D, null> : never

/** What a route answers when it succeeds: `AnswerOf<typeof api.v1.me.get>`. */
export type AnswerOf<Route extends (...args: never[]) => Promise<Answer>> = Data<Awaited<ReturnType<Route>>>

/** What a request answered; an error of the API is thrown as `ApiError`. */
export async function answer<P extends Promise<Answer>>(request: P): Promise<Data<Awaited<P>>> {
  return (await taggedAnswer(request)).data
}

/** What a request answered, with its ETag: the version that an `If-Match` of a later change names. */
export async function taggedAnswer<P extends Promise<Answer>>(
  request: P,
): Promise<{ data: Data<Awaited<P>>; etag: string }> {
  const { data, error, response } = await request
  if (error !== null) throw told(errorOf(error, response))
  return { data: data as Data<Awaited<P>>, etag: response.headers.get('etag') ?? '' }
}

/** The text that a route answers, as it is: `api` parses what looks like JSON, and streams other text in parts. */
export async function textAt(path: string, query: Record<string, string>): Promise<string> {
  const response = await send(`${path}?${new URLSearchParams(query)}`)
  if (response.ok) return await response.text()
  throw told(errorOf({ status: response.status, value: await response.json().catch(() => null) }, response))
}

/** An error, of which the page is told where it asks for a second factor. */
function told(error: Error): Error {
  if (isFactorNeeded(error)) tellFactorNeeded()
  return error
}

function errorOf({ status, value }: { status: unknown; value: unknown }, response?: Response): Error {
  // What was thrown on the way, the client hands over as the error's value.
  if (value instanceof Error) return value
  const code = Number(status)
  return new ApiError(code, sentenceOf(value, code), response?.headers.get('x-request-id') ?? null)
}

/** The headers of a change that is to be refused with 412 where the thing has another version by now. */
export const ifMatch = (etag: string): { headers: { 'if-match': string } } => ({
  headers: { 'if-match': etag },
})

async function send(url: string, init: RequestInit = {}): Promise<Response> {
  const { pathname } = new URL(url, location.origin)
  const isChange = init.method !== undefined && init.method !== 'GET'
  const headers = new Headers(init.headers)
  // Routes of the session want JSON, also where there is nothing to say.
  if (isChange && !headers.has('content-type')) headers.set('content-type', 'application/json')
  const request = { ...init, headers, ...(isChange && init.body === undefined ? { body: '{}' } : {}) }
  if (WITHOUT_BEARER.test(pathname)) {
    const response = await fetchOrExplain(url, request)
    // A wrong code is a 401, too: only asking for a bearer tells whether the session has ended.
    if (response.status === 401 && hasBearer()) void renewBearer().catch(() => {})
    return response
  }
  headers.set('authorization', `Bearer ${await currentBearer()}`)
  const response = await fetchOrExplain(url, request)
  if (response.status !== 401) return response
  headers.set('authorization', `Bearer ${await renewBearer()}`)
  return fetchOrExplain(url, request)
}

const fetchOrExplain = (url: string, init: RequestInit): Promise<Response> =>
  fetch(url, init).catch((error: unknown) => {
    if ((error as Error).name === 'AbortError') throw error
    throw ApiError.unreachable()
  })
