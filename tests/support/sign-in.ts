import { randomUUID } from 'node:crypto'
import type { Answer, api } from './api.ts'

type Service = ReturnType<typeof api>

export const PASSWORD = 'correct horse battery staple'

export const newEmail = () => `${randomUUID()}@example.org`

/** Registers an account; a fresh address and `PASSWORD` unless the body says otherwise. */
export const register = (service: Service, body: Record<string, unknown> = {}): Promise<Answer> =>
  service.anonymous.post('/service/auth/password/register/', {
    email: newEmail(),
    password: PASSWORD,
    ...body,
  })

/** Tries to sign in, from a browser that holds these cookies. */
export const login = (service: Service, email: string, password = PASSWORD, cookie = ''): Promise<Answer> =>
  service.anonymous.send('POST', '/service/auth/password/login/', {
    body: JSON.stringify({ email, password }),
    headers: { 'content-type': 'application/json', ...(cookie !== '' && { cookie }) },
  })

/** A browser and what it holds: `cookie` as `name=value`, `token` the bearer of the sign-in. */
export type Browser = ReturnType<typeof browser>

/** Signs in; throws when that is refused. */
export async function signIn(service: Service, email: string, password = PASSWORD) {
  const { status, body, headers } = await login(service, email, password)
  if (status !== 200) throw new Error(`the sign-in was refused: ${body.error}`)
  return browser(service, cookieOf(headers) ?? '', body.accessToken)
}

/** The session's cookie that an answer sets, as the browser would send it back; null when it sets none. */
export const cookieOf = (headers: Headers): string | null => setCookie(headers, 'keyward_session')

/** The device cookie that an answer sets, as the browser would send it back; null when it sets none. */
export const deviceOf = (headers: Headers): string | null => setCookie(headers, 'keyward_device')

const setCookie = (headers: Headers, name: string): string | null =>
  headers
    .getSetCookie()
    .map((header) => header.split(';', 1)[0] ?? '')
    .find((pair) => pair.replace(/^__(Host|Secure)-/, '').startsWith(`${name}=`)) ?? null

/** Requests under `/service/auth/` with a session's cookie, as a page of the service sends them. */
export function browser(service: Service, cookie: string, token = '') {
  const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    service.anonymous.send(method, `/service/auth${path}`, {
      ...(method !== 'GET' && { body: body === undefined ? '' : JSON.stringify(body) }),
      headers: {
        cookie,
        origin: 'http://localhost',
        'sec-fetch-site': 'same-origin',
        ...(method !== 'GET' && { 'content-type': 'application/json' }),
        ...headers,
      },
    })
  return {
    cookie,
    token,
    send,
    get: (path: string) => send('GET', path),
    post: (path: string, body?: unknown) => send('POST', path, body),
    delete: (path: string) => send('DELETE', path),
    /** The same browser at another replica. */
    at: (other: Service) => browser(other, cookie, token),
  }
}
