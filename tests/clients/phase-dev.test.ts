import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { cleanUp } from '../support/keyward.ts'
import { removeFolders } from './support/clients.ts'
import { type App, type Deployment, startDeployment } from './support/deployment.ts'
import { pythonSdk, type Sdk } from './support/sdk.ts'

let deployment: Deployment
let app: App
let other: App

beforeAll(async () => {
  deployment = await startDeployment()
  app = await deployment.app('Billing')
  other = await deployment.app('Payments')
})
afterAll(async () => {
  await removeFolders()
  await cleanUp()
})

const updated = 'Success'

describe.each(['member', 'service account'] as const)('with the token of a %s', (kind) => {
  const environment = kind === 'member' ? 'Development' : 'Staging'
  const place = { app_name: 'Billing', env_name: environment }
  let sdk: Sdk

  beforeAll(async () => {
    const access = [{ app }, { app: other, environments: ['Production'] }]
    const holder =
      kind === 'member'
        ? await deployment.member('Developer', access)
        : await deployment.serviceAccount('Service', access)
    sdk = await pythonSdk(await deployment.login(holder))
  })
  afterAll(() => sdk.end())

  const value = async (key: string, path = '/') =>
    (
      (await sdk.call('get_secret', { ...place, key_to_find: key, secret_path: path })) as {
        value: string
      } | null
    )?.value ?? null

  test('secrets are created, read one by one and together, changed, moved and deleted', async () => {
    const pairs = [{ DB_URL: 'postgres://one' }, { ZONE: 'eu-1' }]
    expect(await sdk.call('create_secrets', { ...place, key_value_pairs: pairs })).toBe('Success')
    expect(await sdk.call('get_secret', { ...place, key_to_find: 'DB_URL' })).toEqual({
      key: 'DB_URL',
      value: 'postgres://one',
      comment: null,
      path: '/',
      tags: [],
      overridden: null,
      application: 'Billing',
      environment,
    })
    expect(await sdk.call('get_all_secrets', { app_id: app.id, env_name: environment })).toMatchObject([
      { key: 'DB_URL' },
      { key: 'ZONE', value: 'eu-1' },
    ])
    const move = { ...place, key: 'DB_URL', value: 'postgres://two', destination_path: '/db' }
    expect(await sdk.call('update_secret', move)).toBe(updated)
    expect([await value('DB_URL'), await value('DB_URL', '/db')]).toEqual([null, 'postgres://two'])
    expect(
      await sdk.call('delete_secret', { ...place, key_to_delete: 'DB_URL', secret_path: '/db' }),
    ).toEqual([])
    expect(
      await sdk.call('delete_secret', { ...place, key_to_delete: 'DB_URL', secret_path: '/db' }),
    ).toEqual(['DB_URL'])
    expect(await value('DB_URL', '/db')).toBeNull()
  }, 60_000)

  test('a key keeps its case, and what is not ASCII comes back as it was', async () => {
    const secret = { 'schlüssel-密': 'wört "\' \\ ${ 🔑\nsecond line' }
    await sdk.call('create_secrets', { ...place, key_value_pairs: [secret], secret_path: '/non-ascii' })
    expect(await value('schlüssel-密', '/non-ascii')).toBe(secret['schlüssel-密'])
    expect(await value('SCHLÜSSEL-密', '/non-ascii')).toBeNull()
  }, 60_000)

  test('a key that exists is refused together with what came beside it', async () => {
    const create = (...pairs: object[]) => ({ ...place, key_value_pairs: pairs, secret_path: '/taken' })
    await sdk.call('create_secrets', create({ TAKEN: 'first' }))
    const refusal = await sdk.failure('create_secrets', create({ FREE: '1' }, { TAKEN: 'second' }))
    expect(refusal).toContain('409: A secret with the key of secrets[1] already exists at /taken.')
    expect([await value('TAKEN', '/taken'), await value('FREE', '/taken')]).toEqual(['first', null])
  }, 60_000)

  test('a reference is resolved across apps', async () => {
    const there = { app_name: 'Payments', env_name: 'Production', secret_path: '/db' }
    await sdk.call('create_secrets', {
      ...there,
      key_value_pairs: [{ [`PASSWORD_${environment}`]: 'hunter2' }],
    })
    const reference = `app:\${Payments::production./db/PASSWORD_${environment}}`
    await sdk.call('create_secrets', {
      ...place,
      key_value_pairs: [{ LOGIN: reference }],
      secret_path: '/refs',
    })
    expect(await value('LOGIN', '/refs')).toBe('app:hunter2')
  }, 60_000)

  test(kind === 'member' ? 'an override is set, turned off and on' : 'overrides are refused', async () => {
    const options = { ...place, key: 'LEVEL', secret_path: '/override' }
    const pairs = { ...place, key_value_pairs: [{ LEVEL: 'warn' }], secret_path: '/override' }
    await sdk.call('create_secrets', pairs)
    const set = { ...options, value: 'debug', override: true }
    if (kind === 'service account') {
      expect(await sdk.call('update_secret', set)).toBe(
        'Error: Failed to update secret. HTTP Status Code: 403',
      )
      expect(await value('LEVEL', '/override')).toBe('warn')
      return
    }
    expect(await sdk.call('update_secret', set)).toBe(updated)
    expect(await value('LEVEL', '/override')).toBe('debug')
    await sdk.call('update_secret', { ...options, toggle_override: true })
    expect(await value('LEVEL', '/override')).toBe('warn')
    await sdk.call('update_secret', { ...options, toggle_override: true })
    expect(await value('LEVEL', '/override')).toBe('debug')
    await sdk.call('delete_secret', { ...place, key_to_delete: 'LEVEL', secret_path: '/override' })
    await sdk.call('create_secrets', pairs)
    expect(await value('LEVEL', '/override')).toBe('warn')
  }, 60_000)
})
