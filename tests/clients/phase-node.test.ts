import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { cleanUp } from '../support/keyward.ts'
import { removeFolders } from './support/clients.ts'
import { type App, type Deployment, startDeployment } from './support/deployment.ts'
import { nodeSdk, type Sdk } from './support/sdk.ts'

let deployment: Deployment
let app: App
let other: App

type Secret = {
  id: string
  key: string
  value: string
  override: { isActive: boolean } | null
  version: number
}

beforeAll(async () => {
  deployment = await startDeployment()
  app = await deployment.app('Billing')
  other = await deployment.app('Payments')
})
afterAll(async () => {
  await removeFolders()
  await cleanUp()
})

describe.each(['member', 'service account'] as const)('with the token of a %s', (kind) => {
  const environment = kind === 'member' ? 'Development' : 'Staging'
  let place: { appId: string; envName: string }
  let sdk: Sdk

  beforeAll(async () => {
    place = { appId: app.id, envName: environment }
    const access = [{ app }, { app: other, environments: ['Production'] }]
    const holder =
      kind === 'member'
        ? await deployment.member('Developer', access)
        : await deployment.serviceAccount('Service', access)
    sdk = await nodeSdk(await deployment.login(holder))
    await sdk.call('init')
  })
  afterAll(() => sdk.end())

  const create = (...secrets: object[]) => sdk.call('create', { ...place, secrets })
  const update = (...secrets: object[]) => sdk.call('update', { ...place, secrets })
  const get = async (options: object = {}) => (await sdk.call('get', { ...place, ...options })) as Secret[]

  test('secrets are created, read by key, path and tag, changed and deleted', async () => {
    await create(
      { key: 'DB_URL', value: 'postgres://one', comment: 'primär', tags: ['db'], path: '/db' },
      { key: 'ZONE', value: 'eu-1', comment: '' },
    )
    const [secret] = await get({ key: 'DB_URL' })
    expect(secret).toMatchObject({
      key: 'DB_URL',
      value: 'postgres://one',
      comment: 'primär',
      tags: ['db'],
      path: '/db',
      type: 'secret',
      version: 1,
      environment: app.environments[environment],
    })
    expect((await get({ path: '/' })).map(({ key }) => key)).toEqual(['ZONE'])
    expect((await get({ tags: ['db'] })).map(({ key }) => key)).toEqual(['DB_URL'])

    const id = secret?.id
    // Without a path it stays where it is; what `get` gave may be sent back whole.
    await update({ id, key: 'DB_URL', value: 'postgres://two', tags: ['db', 'new'] })
    expect(await get({ key: 'DB_URL' })).toMatchObject([
      { id, value: 'postgres://two', path: '/db', tags: ['db', 'new'], version: 2 },
    ])
    await update({ ...(await get({ key: 'DB_URL' }))[0], value: 'postgres://three' })
    expect(await get({ key: 'DB_URL' })).toMatchObject([{ id, value: 'postgres://three', path: '/db' }])

    await sdk.call('delete', { ...place, secretIds: (await get()).map((each) => each.id) })
    expect(await get()).toEqual([])
  }, 60_000)

  test('what is not ASCII comes back as it was', async () => {
    const value = 'wört "\' \\ 🔑\nsecond line'
    await create({ key: 'ÜMLAUT', value, path: '/non-ascii' })
    expect(await get({ key: 'ÜMLAUT', path: '/non-ascii' })).toMatchObject([{ key: 'ÜMLAUT', value }])
  }, 60_000)

  test('a key that exists is refused', async () => {
    await create({ key: 'TAKEN', value: 'first', path: '/taken' })
    const secrets = [{ key: 'TAKEN', value: 'second', path: '/taken' }]
    const refusal = await sdk.failure('create', { ...place, secrets })
    expect(refusal).toContain('Error: 409: A secret with this key already exists at /taken.')
    expect(await get({ path: '/taken' })).toMatchObject([{ value: 'first' }])
  }, 60_000)

  test('a reference is resolved across apps', async () => {
    const there = { appId: other.id, envName: 'Production' }
    const password = { key: `PASSWORD_${environment.toUpperCase()}`, value: 'hunter2', path: '/db' }
    await sdk.call('create', { ...there, secrets: [password] })
    await create({ key: 'LOGIN', value: `app:\${Payments::Production./db/${password.key}}`, path: '/refs' })
    expect(await get({ key: 'LOGIN', path: '/refs' })).toMatchObject([{ value: 'app:hunter2' }])
  }, 60_000)

  test(kind === 'member' ? 'an override is set, turned off and on' : 'overrides are refused', async () => {
    await create({ key: 'LEVEL', value: 'warn', path: '/override' })
    const level = async () => (await get({ path: '/override' }))[0]
    const id = (await level())?.id
    if (kind === 'service account') {
      const secrets = [{ id, override: { value: 'debug', isActive: true } }]
      expect(await sdk.failure('update', { ...place, secrets })).toContain('403')
      expect(await level()).toMatchObject({ value: 'warn', override: null, version: 1 })
      return
    }
    await update({ id, override: { value: 'debug', isActive: true } })
    expect(await level()).toMatchObject({ value: 'debug', override: { isActive: true } })
    await update({ id, override: { value: 'debug', isActive: false } })
    expect(await level()).toMatchObject({ value: 'warn', override: { isActive: false } })
    await update({ id, override: { value: 'trace', isActive: true } })
    expect(await level()).toMatchObject({ value: 'trace', override: { isActive: true } })
  }, 60_000)
})
