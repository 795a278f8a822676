import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { cleanUp } from '../support/keyward.ts'
import { type Login, phase, removeFolders } from './support/clients.ts'
import { said } from './support/command-line.ts'
import { type App, type Deployment, type Holder, startDeployment } from './support/deployment.ts'
import { nodeSdk, pythonSdk } from './support/sdk.ts'

let deployment: Deployment
let app: App
let member: Holder
let account: Holder

beforeAll(async () => {
  deployment = await startDeployment()
  app = await deployment.app('Billing')
  member = await deployment.member('Developer', [{ app }])
  account = await deployment.serviceAccount('Service', [{ app }])
})
afterAll(async () => {
  await removeFolders()
  await cleanUp()
})

/** What each of the clients says when it is to read with this token. */
async function said401(token: string): Promise<string[]> {
  const login: Login = { host: deployment.keyward.url, token }
  const [python, node] = [await pythonSdk(login), await nodeSdk(login)]
  const options = { app_name: 'Billing', env_name: 'Development' }
  try {
    return await Promise.all([
      phase(['secrets', 'list', '--app', 'Billing'], login).then(said),
      python.failure('get_all_secrets', options),
      node.failure('init'),
    ])
  } finally {
    await python.end()
    await node.end()
  }
}

const withPart = (token: string, index: number, part: string) =>
  token
    .split(':')
    .map((old, place) => (place === index ? part : old))
    .join(':')

async function expectRefused(token: string): Promise<void> {
  const answers = await said401(token)
  expect(answers).toEqual([
    expect.stringMatching(/Request failed with status code 401: \S+/),
    expect.stringMatching(/Request failed with status code 401: \S+/),
    expect.stringMatching(/^Error: 401: \S+/),
  ])
  for (const part of token.split(':').slice(2)) expect(answers.join()).not.toContain(part)
}

describe.each(['member', 'service account'] as const)('the token of a %s', (kind) => {
  const holder = () => (kind === 'member' ? member : account)

  test('that nobody has is 401 in each client', async () => {
    const { token } = await deployment.token(holder())
    await expectRefused(withPart(token, 2, randomBytes(32).toString('hex')))
  }, 60_000)

  test('that has expired is 401 in each client', async () => {
    const { token } = await deployment.token(holder(), { expires_in: 1 })
    await Bun.sleep(1100)
    await expectRefused(token)
  }, 60_000)

  test('that was revoked is 401 in each client', async () => {
    const { id, token } = await deployment.token(holder())
    const login: Login = { host: deployment.keyward.url, token }
    expect((await phase(['secrets', 'list', '--app', 'Billing'], login)).code).toBe(0)
    await deployment.revoke(holder(), id)
    await expectRefused(token)
  }, 60_000)
})

test('the word for a legacy service token is 401 in each client', async () => {
  const { token } = await deployment.token(account)
  await expectRefused(withPart(token, 1, 'v1'))
}, 60_000)

test('with a wrong share or unwrap key nothing can be opened', async () => {
  const { token } = await deployment.token(account)
  const owner = await deployment.token(deployment.owner)
  const create = ['secrets', 'create', 'HIDDEN', '--app', 'Billing']
  const login: Login = { host: deployment.keyward.url, token: owner.token }
  expect((await phase(create, { ...login, input: 'not to be seen' })).code).toBe(0)
  for (const index of [4, 5]) {
    const wrong = withPart(token, index, randomBytes(32).toString('hex'))
    const outcome = await phase(['secrets', 'get', 'HIDDEN', '--app', 'Billing'], { ...login, token: wrong })
    expect(outcome.code).toBe(1)
    expect(said(outcome)).not.toContain('not to be seen')
  }
}, 60_000)

test('a host with a slash at its end works in each client', async () => {
  const { token } = await deployment.token(account)
  const login: Login = { host: `${deployment.keyward.url}/`, token }
  const outcome = await phase(['secrets', 'create', 'SLASH', '--app', 'Billing'], { ...login, input: 'kept' })
  expect(outcome.code).toBe(0)
  const python = await pythonSdk(login)
  const options = { app_name: 'Billing', env_name: 'Development', key_to_find: 'SLASH' }
  expect(await python.call('get_secret', options)).toMatchObject({ value: 'kept' })
  await python.end()
  const node = await nodeSdk(login)
  await node.call('init')
  const secrets = await node.call('get', { appId: app.id, envName: 'Development', key: 'SLASH' })
  expect(secrets).toMatchObject([{ value: 'kept' }])
  await node.end()
}, 60_000)

test('the tokens of a deleted service account and of a removed member are 401', async () => {
  const other = await deployment.serviceAccount('Service', [{ app }])
  const left = await deployment.member('Developer', [{ app }])
  const tokens = [(await deployment.token(other)).token, (await deployment.token(left)).token]
  await deployment.ask('DELETE', `/v1/service-accounts/${other.id}/`)
  await deployment.ask('DELETE', `/v1/members/${left.id}/`)
  for (const token of tokens) await expectRefused(token)
}, 60_000)
