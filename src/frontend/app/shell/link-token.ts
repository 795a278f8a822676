import { useSyncExternalStore } from 'react'

/*
 * Links from mails and from the set-up hold a token after the `#`. It is taken out of the address before anything else
 * happens, so that it stands in no history, bookmark or picture of the screen, and lives in this module alone.
 */

/** The pages that a link of a mail leads to. */
const PAGES = /^\/(?:invite|verify-email|reset-password)\/?$/
const TOKEN = /^#([^#]+)$/
/** A link with the set-up token may lead to any page: the token belongs to the first run. */
const SETUP_TOKEN = /^#setup_token=(.+)$/

/** The path with which this document was opened, as it was written: the router reads two slashes as one. */
export const pathAtStart = location.pathname

let token: string | null = null
const listeners = new Set<() => void>()

/** Takes the token out of the address, at the start and when another link is pasted over the address of this page. */
export function takeLinkToken(): void {
  const { pathname, search, hash } = location
  const [, setup] = SETUP_TOKEN.exec(hash) ?? []
  const [, mailed] = (PAGES.test(pathname) && TOKEN.exec(hash)) || []
  if (setup !== undefined) take(decoded(setup), '/setup')
  else if (mailed !== undefined) take(mailed, pathname + search)
}

function take(taken: string, address: string): void {
  token = taken
  history.replaceState(history.state, '', address)
  for (const listener of listeners) listener()
}

/** The token of the link that led here; null where there was none, or the page was loaded anew. */
export const linkToken = (): string | null => token
export const useLinkToken = (): string | null => useSyncExternalStore(subscribe, linkToken)

/** Forgets a token that was used. */
export function forgetLinkToken(): void {
  token = null
  for (const listener of listeners) listener()
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

takeLinkToken()
// Before the router hears of it: this listener was added first.
addEventListener('hashchange', takeLinkToken)
