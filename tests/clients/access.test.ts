import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { cleanUp } from '../support/keyward.ts'
import { type Login, phase, removeFolders } from './support/clients.ts'
import { commandLine, said } from './support/command-line.ts'
import { type App, type Deployment, type Holder, startDeployment } from './support/deployment.ts'
import { nodeSdk, pythonSdk } from './support/sdk.ts'

let deployment: Deployment
let app: App
let place: { appId: string; envName: string }

beforeAll(async () => {
  deployment = await startDeployment()
  app = await deployment.app('Billing')
  place = { appId: app.id, envName: 'Development' }
})
afterAll(async () => {
  await removeFolders()
  await cleanUp()
})

const holderOf = (kind: 'member' | 'service account') =>
  kind === 'member'
    ? deployment.member('Developer', [{ app }])
    : deployment.serviceAccount('Service', [{ app }])

describe.each(['member', 'service account'] as const)('a %s whose access is taken', (kind) => {
  const path = `/${kind.replace(' ', '-')}`
  let holder: Holder
  let login: Login

  beforeAll(async () => {
    holder = await holderOf(kind)
    login = await deployment.login(holder)
  })

  test('is refused although its client still holds the list and the keys', async () => {
    const sdk = await nodeSdk(login)
    await sdk.call('init')
    await sdk.call('create', {
      ...place,
      secrets: [{ key: 'BEFORE', value: 'yes', path }],
    })
    const [secret] = (await sdk.call('get', { ...place, key: 'BEFORE' })) as { id: string }[]
    await deployment.setAccess(holder, [{ app, environments: ['Staging'] }])

    const change = { ...place, secrets: [{ id: secret?.id, key: 'BEFORE', value: 'no' }] }
    expect(await sdk.failure('get', place)).toStartWith('Error: 404: ')
    expect(await sdk.failure('create', { ...place, secrets: [{ key: 'AFTER', value: '1' }] })).toContain(
      '404',
    )
    expect(await sdk.failure('update', change)).toContain('404')
    expect(await sdk.failure('delete', { ...place, secretIds: [secret?.id] })).toContain('404')
    await sdk.call('get', { ...place, envName: 'Staging' })
    await sdk.end()

    const outcome = await phase(['secrets', 'list', '--app', 'Billing', '--env', 'development'], login)
    expect(outcome.code).toBe(1)
    expect(said(outcome)).toContain(
      "The environment 'development' either does not exist or you do not have access",
    )
    const owner = commandLine(await deployment.login(deployment.owner), 'Billing')
    expect(await owner.get('BEFORE', path)).toMatchObject({ value: 'yes' })
  }, 120_000)
})

test('a role without secrets can neither read nor write, and is told so by each client', async () => {
  const role = await deployment.ask('POST', '/v1/roles/', { name: 'Observer', permissions: noSecrets })
  const login = await deployment.login(await deployment.serviceAccount(String(role.id), [{ app }]))
  const line = commandLine(login, 'Billing')
  expect(await line.fails(['secrets', 'list'])).toContain('Not authorized.')
  expect(await line.fails(['secrets', 'create', 'A'], { input: '1' })).toContain('Not authorized.')
  const python = await pythonSdk(login)
  const options = { app_name: 'Billing', env_name: 'Development' }
  // It shows nothing of the refusal, but fails on an answer that is no list: never an empty list.
  expect(await python.failure('get_all_secrets', options)).toContain('Error: ')
  await python.end()
  const node = await nodeSdk(login)
  await node.call('init')
  expect(await node.failure('get', place)).toStartWith('Error: 403: ')
  expect(await node.failure('create', { ...place, secrets: [{ key: 'A', value: '1' }] })).toContain('403')
  await node.end()
}, 60_000)

/** Sees apps and environments, nothing of what is in them. */
const noSecrets = {
  permissions: { Apps: ['read'] },
  app_permissions: { Environments: ['read'] },
}

test('with server-side encryption off every client works as before', async () => {
  const closed = await deployment.app('Closed')
  await deployment.ask('PUT', `/v1/apps/${closed.id}`, { sse_enabled: false })
  const login = await deployment.login(await deployment.serviceAccount('Service', [{ app: closed }]))
  const line = commandLine(login, 'Closed')
  await line.create('FROM_CLI', 'one')
  const python = await pythonSdk(login)
  const options = { app_name: 'Closed', env_name: 'Development' }
  await python.call('create_secrets', { ...options, key_value_pairs: [{ FROM_PYTHON: 'two' }] })
  const node = await nodeSdk(login)
  await node.call('init')
  const there = { appId: closed.id, envName: 'Development' }
  await node.call('create', { ...there, secrets: [{ key: 'FROM_NODE', value: 'three' }] })
  const all = { FROM_CLI: 'one', FROM_PYTHON: 'two', FROM_NODE: 'three' }
  expect(await line.exported()).toEqual(all)
  for (const secrets of [await python.call('get_all_secrets', options), await node.call('get', there)]) {
    const pairs = (secrets as { key: string; value: string }[]).map(({ key, value }) => [key, value])
    expect(Object.fromEntries(pairs)).toEqual(all)
  }
  await python.end()
  await node.end()

  // In clear there is nothing to be had, whoever asks.
  const authorization = `Bearer ServiceAccount ${login.token.split(':')[2]}`
  const url = `${login.host}/v1/secrets/?app_id=${closed.id}&env=development`
  const response = await fetch(url, { headers: { authorization } })
  expect([response.status, await response.json()]).toEqual([
    400,
    { error: 'Server-side encryption is off for this app.' },
  ])
}, 60_000)
