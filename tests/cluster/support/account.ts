import { expect } from 'bun:test'
import { clientIdentity, clientOpenWithToken, clientUnwrap } from '../../core/keys/published-format.ts'

/** The first account of a release, with an app whose environments have keys. */
export type Account = { token: string; email: string; appId: string }

/** Where a backend is, and a Host that it allows. */
export type Address = { url: string; host: string }

type Answer = { status: number; body: Record<string, unknown> }

/** Calls a backend as whoever holds the token. */
export async function ask(
  { url, host }: Address,
  method: string,
  path: string,
  options: { token?: string; body?: object } = {},
): Promise<Answer> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      host,
      ...(options.token !== undefined && { authorization: `Bearer ${options.token}` }),
      ...(options.body && { 'content-type': 'application/json' }),
    },
    ...(options.body && { body: JSON.stringify(options.body) }),
    keepalive: false,
    signal: AbortSignal.timeout(10_000),
  })
  const text = await response.text()
  return { status: response.status, body: text === '' ? {} : JSON.parse(text) }
}

/** Registers the Owner, creates a token that lasts a day, and an app. */
export async function found(address: Address, setupToken?: string): Promise<Account> {
  const credentials = { email: 'ada@example.org', password: 'correct horse battery' }
  const registered = await ask(address, 'POST', '/service/auth/password/register/', {
    body: { ...credentials, ...(setupToken !== undefined && { setup_token: setupToken }) },
  })
  expect(registered).toMatchObject({ status: 201 })
  const session = await ask(address, 'POST', '/service/auth/password/login/', { body: credentials })
  const created = await ask(address, 'POST', '/v1/tokens/', {
    token: String(session.body.accessToken),
    body: { name: 'cluster', expires_in: 86_400 },
  })
  expect(created).toMatchObject({ status: 201 })
  const token = String(created.body.token)
  const app = await ask(address, 'POST', '/v1/apps/', { token, body: { name: 'Billing' } })
  expect(app).toMatchObject({ status: 201 })
  return { token, email: credentials.email, appId: String(app.body.id) }
}

/** The environments' seeds, opened as a client opens them: with nothing but the token. */
export async function openSeeds(address: Address, { token }: Pick<Account, 'token'>): Promise<string[]> {
  const { status, body } = await ask(address, 'GET', '/v1/me/keys/', { token })
  expect(status).toBe(200)
  const keys = body as unknown as { wrappedPrivateKey: string; environments: { wrappedSeed: string }[] }
  const { x25519 } = clientIdentity(await clientOpenWithToken(token, keys.wrappedPrivateKey))
  return keys.environments.map(({ wrappedSeed }) => clientUnwrap(wrappedSeed, x25519))
}
