import { useSyncExternalStore } from 'react'

/*
 * Links from mails and from the set-up hold a token after the `#`. It is taken out of the address before anything else
 * happens, so that it stands in no history, bookmark or picture of the screen, and lives in this module alone.
 */

/** The pages that a link with a token leads to. The one with the set-up token leads to the first page. */
const PAGES = /^\/(?:$|setup|invite|verify-email|reset-password)\/?$/
const TOKEN = /^#(setup_token=)?([^#]+)$/

/** The path with which this document was opened, as it was written: the router reads two slashes as one. */
export const pathAtStart = location.pathname

let token: string | null = null
const listeners = new Set<() => void>()

/** Takes the token out of the address, at the start and when another link is pasted over the address of this page. */
export function takeLinkToken(): void {
  const [, name, value] = (PAGES.test(location.pathname) && TOKEN.exec(location.hash)) || []
  if (value === undefined) return
  const isSetup = /^\/(?:setup\/?)?$/.test(location.pathname)
  if (isSetup !== (name !== undefined)) return
  token = name === undefined ? value : decoded(value)
  history.replaceState(history.state, '', location.pathname + location.search)
  for (const listener of listeners) listener()
}

/** The token of the link that led here; null where there was none, or the page was loaded anew. */
export const useLinkToken = (): string | null => useSyncExternalStore(subscribe, () => token)

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
