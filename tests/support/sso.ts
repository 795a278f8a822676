import type { Answer, Client } from './api.ts'
import type { IdentityProvider } from './identity-provider.ts'

type Replica = { anonymous: Client }
type Sent = { body?: unknown; headers?: Record<string, string>; cookies?: boolean }

/** A browser with its cookies, which asks one replica after the other. */
export type SsoBrowser = ReturnType<typeof ssoBrowser>

/** The address that Keyward of the tests, at http://localhost, registers at providers. */
export const redirectUri = (provider: string) => `http://localhost/service/auth/sso/${provider}/callback/`

/** A browser that goes through single sign-on; it keeps cookies by name and path, and follows no redirect by itself. */
export function ssoBrowser(...replicas: Replica[]) {
  const cookies = new Map<string, { name: string; value: string; path: string }>()
  let requests = 0

  const send = async (method: string, path: string, sent: Sent = {}): Promise<Answer> => {
    const replica = replicas[requests++ % replicas.length] as Replica
    const cookie = [...cookies.values()]
      .filter((one) => sent.cookies !== false && path.startsWith(one.path))
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ')
    const answer = await replica.anonymous.send(method, path, {
      ...(method !== 'GET' && { body: sent.body === undefined ? '' : JSON.stringify(sent.body) }),
      headers: {
        ...(cookie !== '' && { cookie }),
        ...(method !== 'GET' && { 'content-type': 'application/json', origin: 'http://localhost' }),
        ...sent.headers,
      },
    })
    for (const header of answer.headers.getSetCookie()) keep(cookies, header)
    return answer
  }

  const self = {
    send,
    get: (path: string, headers: Record<string, string> = {}) => send('GET', path, { headers }),
    post: (path: string, body?: unknown) => send('POST', path, { body }),
    delete: (path: string) => send('DELETE', path),
    /** The values of the cookies whose names begin so. */
    cookies: (start: string) =>
      [...cookies.values()].filter(({ name }) => name.startsWith(start)).map(({ value }) => value),
    /** The session's cookie as a header has it. */
    session: () => self.cookies('keyward_session').map((value) => `keyward_session=${value}`)[0] ?? '',
    /** Puts in a cookie that somebody else has. */
    plant: (name: string, value: string, path: string) => {
      cookies.set(`${path} ${name}`, { name, value, path })
    },
    all: () => [...cookies.values()],
    /** Begins a sign-in with a plain link, or with a body; the address at the provider. */
    begin: async (provider: string, body?: object): Promise<URL> => {
      const path = `/service/auth/sso/${provider}/authorize/`
      const answer = body === undefined ? await self.get(path) : await self.post(path, body)
      const url = body === undefined ? answer.headers.get('location') : answer.body.url
      if (answer.status >= 400) throw new Error(`it could not begin: ${answer.status} ${answer.body.error}`)
      return new URL(url)
    },
    /** Begins a link; the address at the provider. */
    beginLink: async (provider: string): Promise<URL> => {
      const { status, body } = await self.post(`/service/auth/sso/${provider}/link/`, {})
      if (status !== 200) throw new Error(`the link could not begin: ${status} ${body.error}`)
      return new URL(body.url)
    },
    /** Comes back from the provider. */
    comeBack: (callback: URL) => self.get(`${callback.pathname}${callback.search}`),
    /** The whole sign-in; the answer to the callback. */
    signIn: async (provider: string, identityProvider: IdentityProvider, body?: object): Promise<Answer> =>
      await self.comeBack(await identityProvider.visit(await self.begin(provider, body))),
    /** A session token of the session that the browser has. */
    token: async (): Promise<string> => (await self.post('/service/auth/session/')).body.accessToken,
  }
  return self
}

function keep(cookies: Map<string, { name: string; value: string; path: string }>, header: string): void {
  const [pair = '', ...attributes] = header.split(';').map((part) => part.trim())
  const name = pair.slice(0, pair.indexOf('='))
  const path = attributes.find((one) => one.startsWith('Path='))?.slice(5) ?? '/'
  const key = `${path} ${name}`
  if (attributes.includes('Max-Age=0')) cookies.delete(key)
  else cookies.set(key, { name, value: pair.slice(name.length + 1), path })
}
