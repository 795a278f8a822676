import { hash } from 'node:crypto'
import { DomainError } from './errors.ts'

/** What a request's If-Match header says that the caller has seen; null where it has none. */
export type IfMatch = string | null

/** The strong ETag of an answer's content. */
export const etagOf = (content: string | Uint8Array): string =>
  `"${hash('sha256', content, 'hex').slice(0, 32)}"`

/** Whether a request takes what there is, whatever that is. */
export const takesAny = (ifMatch: IfMatch): ifMatch is null | '*' =>
  ifMatch === null || ifMatch.trim() === '*'

/**
 * 412 unless the caller has seen what there is now; `current` gives that as the route's GET answers it. To be called
 * under the lock of the change.
 */
export async function requireMatch(ifMatch: IfMatch, current: () => unknown): Promise<void> {
  if (takesAny(ifMatch)) return
  // A weak ETag never matches: RFC 9110, section 13.1.1.
  if (tagsIn(ifMatch).includes(etagOf(JSON.stringify(await current())))) return
  throw new DomainError(
    412,
    'It has changed since you read it. Read it again, and send the new ETag in If-Match.',
  )
}

/** Whether an If-None-Match header names an ETag; weak ones, which a proxy may have made of it, count. */
export const isNamedIn = (ifNoneMatch: string, etag: string): boolean =>
  ifNoneMatch.trim() === '*' || tagsIn(ifNoneMatch.replaceAll('W/', '')).includes(etag)

const tagsIn = (header: string): string[] => header.split(',').map((tag) => tag.trim())
