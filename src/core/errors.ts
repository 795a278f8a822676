import { isId } from './id.ts'

/** A refusal that the caller is told of: an HTTP status and one sentence that says what is wrong or what would be right. */
export class DomainError extends Error {
  override readonly name = 'DomainError'

  constructor(
    readonly status: 400 | 401 | 403 | 404 | 409 | 413 | 415 | 429 | 503,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
    /** The environment that the sentence names: whoever can't access it doesn't read of it in the audit trail. */
    readonly environmentId: string | null = null,
  ) {
    super(message)
  }
}

/** 400: the request has the wrong shape or an unknown value. */
export const badRequest = (message: string) => new DomainError(400, message)

/** 401: nobody that this service knows; `Token expired or deleted` unless said otherwise. */
export const unauthenticated = (message = 'Token expired or deleted') =>
  new DomainError(401, message, { 'www-authenticate': 'Bearer' })

/** 403: the caller is known and may not; `named` is what the sentence names. */
export const forbidden = (message: string, named: { environmentId?: string } = {}) =>
  new DomainError(403, message, {}, named.environmentId)

/**
 * 404: there is no such thing in the caller's organisation; `what` is a noun such as `Role`. What has not the form of
 * an id is never repeated: it may be a token that was sent by mistake.
 */
export const notFound = (what: string, id?: string) =>
  new DomainError(404, id !== undefined && isId(id) ? `${what} "${id}" not found.` : `${what} not found.`)

/** 409: it stands against what is there already. */
export const conflict = (message: string) => new DomainError(409, message)

/** 409: there are as many as there can be; `remedy` is a sentence that says what to do. */
export const limitReached = (holder: string, most: number, things: string, remedy: string) =>
  conflict(`${holder} can have at most ${most.toLocaleString('en')} ${things}. ${remedy}`)

/** 429: too many; `retryAfterSeconds` says when to come back, `limit` what was allowed until then. */
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

/**
 * A name of the caller's own, short and printable, for use in a sentence. Of one that is longer than any that makes
 * sense only the start is shown: it may be a secret that was sent in the wrong place.
 */
export function quote(text: string): string {
  const printable = text.replace(/[^\x20-\x7e]/gu, '?')
  return `"${printable.length > 40 ? `${printable.slice(0, 8)}…` : printable}"`
}
