import type { Config } from '../../config.ts'
import { SESSION_SECONDS } from '../../core/sessions/lifetime.ts'
import { BROWSER_SECONDS, browserFrom } from '../../core/sign-in/browsers.ts'
import { DEVICE_SECONDS } from '../../core/sign-in/devices.ts'
import type { CompletedSignIn, SignInBrowser } from '../../core/sign-in/sign-in.ts'
import { FLOW_SECONDS } from '../../core/sso/flow-state.ts'

type Origin = Pick<Config, 'origin'>

/** The session cookie of a request; null when there is none. */
export const readSessionCookie = (config: Origin, request: Request): string | null =>
  valuesOf(request, sessionName(config))[0] ?? null

/** The `Set-Cookie` header of a new session. */
export const sessionCookie = (config: Origin, value: string): string =>
  header(config, sessionName(config), value, '/', SESSION_SECONDS)

/** The `Set-Cookie` header that deletes the session cookie. */
export const endedSessionCookie = (config: Origin): string => header(config, sessionName(config), '', '/', 0)

/** All device cookies of a request: other hosts of the same domain can set one with this name, too. */
export const readDeviceCookies = (config: Origin, request: Request): string[] =>
  valuesOf(request, deviceName(config))

/** The `Set-Cookie` header of the device cookie. */
export const deviceCookie = (config: Origin, value: string): string =>
  header(config, deviceName(config), value, '/service/auth/', DEVICE_SECONDS)

/** The values of a request's cookies of a state of a single sign-on. */
export const readStateCookies = (config: Origin, request: Request, state: string): string[] =>
  valuesOf(request, `${stateName(config)}${state}`)

/**
 * The `Set-Cookie` headers of a state that has begun: several tabs have a cookie each. Beyond 8, or 4 KiB of them, the
 * oldest are deleted: all requests send them, and proxies limit what headers take. Browsers send the oldest first.
 */
export function stateCookies(
  config: Origin,
  request: Request,
  { state, cookie }: Readonly<{ state: string; cookie: string }>,
): string[] {
  const start = stateName(config)
  const surplus: string[] = []
  let [count, length] = [1, cookie.length]
  for (const pair of cookiePairs(request).reverse()) {
    const [name = ''] = pair.split('=', 1)
    const other = name.slice(start.length)
    if (!name.startsWith(start) || !/^[\w-]{22}$/.test(other)) continue
    count++
    length += pair.length
    if (count > MAX_STATES || length > MAX_STATES_LENGTH) surplus.push(other)
  }
  return [
    ...surplus.map((other) => endedStateCookie(config, other)),
    header(config, `${start}${state}`, cookie, '/', FLOW_SECONDS),
  ]
}

/** The `Set-Cookie` header that deletes the cookie of a state. */
export const endedStateCookie = (config: Origin, state: string): string =>
  header(config, `${stateName(config)}${state}`, '', '/', 0)

const MAX_STATES = 8
const MAX_STATES_LENGTH = 4096

/** The `Set-Cookie` headers of a completed sign-in: the session, then the device. */
export const signInCookies = (config: Origin, signedIn: CompletedSignIn): string[] => [
  sessionCookie(config, signedIn.cookie),
  deviceCookie(config, signedIn.deviceCookie),
]

/** The browser that signs in with this request. */
export const signInBrowser = (config: Origin, request: Request): SignInBrowser => ({
  browser: browserFrom(valuesOf(request, browserName(config))[0] ?? null),
  deviceCookies: readDeviceCookies(config, request),
})

/** The `Set-Cookie` header of what tells a browser apart. */
export const browserCookie = (config: Origin, value: string): string =>
  header(config, browserName(config), value, '/', BROWSER_SECONDS)

const isSecure = ({ origin }: Origin): boolean => origin.startsWith('https:')

/** The prefix `__Host-` requires Path=/; a cookie with a narrower path takes `__Secure-`. */
const sessionName = (config: Origin): string => `${isSecure(config) ? '__Host-' : ''}keyward_session`
const browserName = (config: Origin): string => `${isSecure(config) ? '__Host-' : ''}keyward_browser`
const deviceName = (config: Origin): string => `${isSecure(config) ? '__Secure-' : ''}keyward_device`
/** Of this host alone: another one of the same domain could have a browser end a sign-in that began elsewhere. */
const stateName = (config: Origin): string => `${isSecure(config) ? '__Host-' : ''}keyward_sso_`

const cookiePairs = (request: Request): string[] =>
  (request.headers.get('cookie') ?? '').split(';').map((pair) => pair.trim())

function valuesOf(request: Request, name: string): string[] {
  const start = `${name}=`
  return cookiePairs(request)
    .filter((pair) => pair.startsWith(start))
    .map((pair) => pair.slice(start.length))
}

const header = (config: Origin, name: string, value: string, path: string, maxAgeSeconds: number): string =>
  `${name}=${value}; Path=${path}; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${isSecure(config) ? '; Secure' : ''}`
