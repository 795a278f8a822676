import { isId } from './id.ts'

/** An error for the caller: an HTTP status, and one sentence that says what is wrong or what would be right. */
export class DomainError extends Error {
  override readonly name = 'DomainError'

  constructor(
    readonly status: 400 | 401 | 403 | 404 | 409 | 412 | 413 | 415 | 429 | 501 | 503,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
    /** The environment that the sentence names: callers that can't access it don't see its audit entry. */
    readonly environmentId: string | null = null,
  ) {
    super(message)
  }
}

/** 400: the request has the wrong shape or an unknown value. */
export const badRequest = (message: string) => new DomainError(400, message)

/** 401: not authenticated. */
export const unauthenticated = (message = 'Token expired or deleted') =>
  new DomainError(401, message, { 'www-authenticate': 'Bearer' })

/** 403: not allowed; `named` is the environment that the sentence names. */
export const forbidden = (message: string, named: { environmentId?: string } = {}) =>
  new DomainError(403, message, {}, named.environmentId)

/**
 * 404: the caller's organisation has no such resource; `what` is a noun such as `Role`. A malformed id is not repeated:
 * it may be a token that was sent by mistake.
 */
export const notFound = (what: string, id?: string) =>
  new DomainError(404, id !== undefined && isId(id) ? `${what} "${id}" not found.` : `${what} not found.`)

/** 409: conflicts with existing data. */
export const conflict = (message: string) => new DomainError(409, message)

/** 409: the limit is reached; `remedy` is a sentence that says what to do. */
export const limitReached = (holder: string, most: number, things: string, remedy: string) =>
  conflict(`${holder} can have at most ${most.toLocaleString('en')} ${things}. ${remedy}`)

/** 429: too many requests; `retryAfterSeconds` says when to try again, `limit` how many are allowed. */
export function tooMany(message: string, retryAfterSeconds: number, limit?: number) {
  const seconds = String(Math.max(1, Math.ceil(retryAfterSeconds)))
  return new DomainError(429, message, {
    'retry-after': seconds,
    ...(limit !== undefined && {
      'ratelimit-limit': String(limit),
      'ratelimit-remaining': '0',
      'ratelimit-reset': seconds,
    }),
  })
}

/** 503: the caller has left more of large responses unread than memory is kept for. */
export const tooMuchUnread = () =>
  new DomainError(503, 'Too many large responses are waiting to be read. Read them, then try again.', {
    'retry-after': '1',
  })

/**
 * A name from the caller's input, short and printable, for use in a sentence. Of a text too long for a name only the start
 * is shown: it may be a secret that was sent in the wrong place.
 */
export function quote(text: string): string {
  const printable = text.replace(/[^\x20-\x7e]/gu, '?')
  return `"${printable.length > 40 ? `${printable.slice(0, 8)}…` : printable}"`
}
