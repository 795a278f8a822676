import { ApiError, sentenceOf } from './errors.ts'

/*
 * The session of this browser. The cookie is the server's, and no script sees it; with it a tab gets a bearer of 15
 * minutes, which lives in this module alone and dies with the tab.
 */

type Bearer = { accessToken: string; expiresAt: string }
type SignedIn = Bearer & { user: { id: string } }
type Message = { state: 'started'; userId: string } | { state: 'left' }

/** A bearer is renewed when it has less than this left, so that none ends under way. */
const RENEW_BEFORE_MS = 60_000

let bearer: Bearer | null = null
let renewal: Promise<string> | null = null
/** Whose page this is, once it shows something of an account. */
let holder: string | null = null
/** Whether the server has said that this browser has no session. */
let isRefused = false
const listeners = new Set<(state: SessionState) => void>()
const tabs = new BroadcastChannel('keyward-session')

/** `left` is a session that its user ended; `replaced` one in whose place another account has signed in. */
export type SessionState = 'started' | 'ended' | 'left' | 'replaced'

/** Calls back when the session starts or ends, in this tab or in another. */
export function onSession(listener: (state: SessionState) => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Says whose page this is: what it shows must not stay when another account signs in, in whatever tab. */
export function holdPage(userId: string | null): void {
  holder = userId
}

/** Whether it is known whose page this is. */
export const isPageHeld = (): boolean => holder !== null

/** Keeps the bearer that a sign-in gave. False where the page is another account's: then it is replaced. */
export function startSession(given: SignedIn): boolean {
  const userId = given.user.id
  const state = startedBy(userId)
  bearer = state === 'started' ? given : null
  isRefused = false
  tell(state)
  tabs.postMessage({ state: 'started', userId } satisfies Message)
  return state === 'started'
}

const startedBy = (userId: string | null): SessionState =>
  holder === null || holder === userId ? 'started' : 'replaced'

/** Ends the session of this browser, and takes everything of the account off the screen, in all tabs. */
export async function leave(): Promise<void> {
  await endSession()
  tell('left')
}

/**
 * Ends the session of this browser; other tabs leave, while this page stays and is nobody's. Rejects where it could not
 * be ended.
 */
export async function endSession(): Promise<void> {
  const response = await post('/service/auth/logout/')
  // Without a session there is nothing to end.
  if (!response.ok && response.status !== 401) throw await refusalOf(response)
  bearer = null
  holder = null
  isRefused = true
  tabs.postMessage({ state: 'left' } satisfies Message)
}

/** Whether it is known that nobody is signed in here; until the server was asked, it isn't. */
export const hasNoSession = (): boolean => isRefused

/** Whether somebody is signed in here, as far as is known. */
export const hasBearer = (): boolean => bearer !== null

/** The bearer for the next request: the one in memory, or a new one. Rejects with the 401 where there is no session. */
export function currentBearer(): Promise<string> {
  if (bearer !== null && Date.parse(bearer.expiresAt) - Date.now() > RENEW_BEFORE_MS) {
    return Promise.resolve(bearer.accessToken)
  }
  return renewBearer()
}

/** A new bearer, also where the one in memory looks valid: the server has refused it. */
export function renewBearer(): Promise<string> {
  renewal ??= renew().finally(() => {
    renewal = null
  })
  return renewal
}

async function renew(): Promise<string> {
  const hadSession = bearer !== null
  const response = await post('/service/auth/session/')
  if (response.status === 401) {
    bearer = null
    isRefused = true
    if (hadSession) tell('ended')
  }
  if (!response.ok) throw await refusalOf(response)
  const given = (await response.json()) as Bearer
  await requireHolder(given)
  bearer = given
  isRefused = false
  return bearer.accessToken
}

/** Another account may have signed in at a provider, in another tab: that changes the cookie, and no page is told. */
async function requireHolder({ accessToken }: Bearer): Promise<void> {
  if (holder === null) return
  const response = await ask('/v1/me', { headers: { authorization: `Bearer ${accessToken}` } })
  if (!response.ok) throw await refusalOf(response)
  const { userId } = (await response.json()) as { userId: string | null }
  if (startedBy(userId) === 'started') return
  bearer = null
  tell('replaced')
  throw new ApiError(401, 'Another account has signed in in this browser.')
}

const post = (path: string): Promise<Response> =>
  ask(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })

const ask = (path: string, init: RequestInit): Promise<Response> =>
  fetch(path, init).catch(() => {
    throw ApiError.unreachable()
  })

const refusalOf = async (response: Response): Promise<ApiError> =>
  new ApiError(response.status, sentenceOf(await response.json().catch(() => null), response.status))

function tell(state: SessionState): void {
  for (const listener of listeners) listener(state)
}

tabs.addEventListener('message', ({ data }: MessageEvent<Message>) => {
  // Another account may have signed in: the bearer of the old one is not kept.
  bearer = null
  isRefused = data.state !== 'started'
  tell(data.state === 'started' ? startedBy(data.userId) : 'left')
})
