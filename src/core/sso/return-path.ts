import { defineKind } from '../schema.ts'

const MAX_LENGTH = 512

/**
 * Whether a sign-in may lead to this text: a path of this service, with a query and a fragment if need be, that neither a
 * browser nor a proxy that decodes it can take for another site's address.
 */
export function isReturnPath(text: string): boolean {
  if (text.length > MAX_LENGTH || !PLAIN_PATH.test(text)) return false
  const decoded = decode(text)
  if (decoded === null || /[\p{Cc}\\]/u.test(decoded)) return false
  // Dots are resolved by browsers: /.//evil.example has the path //evil.example.
  const { host, pathname } = new URL(text, BASE)
  const path = decode(pathname) ?? ''
  return host === BASE_HOST && !decoded.startsWith('//') && !path.startsWith('//') && !SIGN_IN.test(path)
}

const returnPath = defineKind('ReturnPath', (value, field) =>
  typeof value === 'string' && isReturnPath(value) ? null : returnPathFault(field),
)

/** What is wrong with a text that is no return path. */
export const returnPathFault = (field: string): string =>
  `${field} must be a path of this service, such as /apps, of at most ${MAX_LENGTH} characters.`

/** Where a sign-in leads to once it is complete: a path of this service. */
export const ReturnPath = () =>
  returnPath<string>({
    type: 'string',
    maxLength: MAX_LENGTH,
    description: 'Where the browser is sent once it is signed in: a path of this service. By default /.',
  })

/** Printable ASCII without white space and backslashes, which browsers read as slashes. */
const PLAIN_PATH = /^\/(?!\/)[\x21-\x5b\x5d-\x7e]*$/

/** It would begin the next sign-in, and so on for ever. */
const SIGN_IN = /^\/service\/auth(\/|$)/i

const BASE_HOST = 'keyward.invalid'
const BASE = `https://${BASE_HOST}`

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
