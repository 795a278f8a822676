import { randomBytes } from 'node:crypto'

/** How long a browser is told apart from others after its last step towards a sign-in. */
export const BROWSER_SECONDS = 600

/**
 * What tells a browser apart during a sign-in: the value of its cookie, or a new one. One value for all its tabs. It
 * proves nothing: what is bound to it is useless in another browser.
 */
export const browserFrom = (cookie: string | null): string =>
  cookie !== null && FORM.test(cookie) ? cookie : randomBytes(32).toString('base64url')

const FORM = /^[A-Za-z0-9_-]{43}$/
