import type { Keyward } from './keyward.ts'

type Answer = { status: number; body: Record<string, unknown> }

/** Calls a running Keyward over HTTP, with a JSON body where one is given. */
export async function call(
  { url }: Pick<Keyward, 'url'>,
  method: string,
  path: string,
  options: { token?: unknown; body?: object } = {},
): Promise<Answer> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      ...(options.token !== undefined && { authorization: `Bearer ${options.token}` }),
      ...(options.body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(options.body !== undefined && { body: JSON.stringify(options.body) }),
  })
  const text = await response.text()
  return { status: response.status, body: text === '' ? {} : JSON.parse(text) }
}

const ada = { email: 'ada@example.org', password: 'correct horse battery' }

/** Registers Ada, the first account of a deployment. */
export const register = (keyward: Pick<Keyward, 'url'>) =>
  call(keyward, 'POST', '/service/auth/password/register/', { body: ada })

/** Signs Ada in; the answer's `accessToken` is a session's bearer. */
export const signIn = (keyward: Pick<Keyward, 'url'>) =>
  call(keyward, 'POST', '/service/auth/password/login/', { body: ada })
