import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { api, type Client } from '../../support/api.ts'
import { app, type TestApp } from '../../support/apps.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { member, owner, type Person, serviceAccount } from '../../support/people.ts'
import { sealedSecret, secretsOf } from '../../support/secrets.ts'
import { countStatements } from '../../support/statements.ts'

let ctx: TestContext
let service: ReturnType<typeof api>
let ada: Person
let client: Client
let developer: Person
let shop: TestApp

beforeAll(async () => {
  ctx = await testContext()
  service = api(ctx)
  ada = await owner(ctx)
  client = service.as(ada.token)
  developer = await member(ctx, 'developer')
  const [robot, other] = [await serviceAccount(ctx, 'service'), await serviceAccount(ctx, 'service')]
  shop = await app(ctx, 'Shop', ['one', 'two'])
  await app(ctx, 'Site', ['one'])
  const access = (...at: number[]) => ({ apps: [{ id: shop.id, environments: at.map(idAt) }] })
  await client.put(`/v1/members/${developer.id}/access`, access(0))
  await client.put(`/v1/service-accounts/${robot.id}/access`, access(0, 1))
  await client.put(`/v1/service-accounts/${other.id}/access`, access(0))
})
afterAll(() => ctx.close())

const idAt = (index: number): string => shop.environments[index]?.id ?? ''
const list = async (caller: Client = client, more = '') =>
  (await caller.get(`/v1/environments?app_id=${shop.id}${more}`)).body.data

describe('GET /v1/environments', () => {
  test('counts who can open each: by a grant, or by global access, once', async () => {
    expect(await list()).toMatchObject([
      { peopleCount: 2, machineCount: 2 },
      { peopleCount: 1, machineCount: 1 },
    ])
    // Somebody who is promoted keeps grants, and still counts once.
    const { data } = (await client.get('/v1/roles')).body
    const roleId = (name: string) => data.find((role: { name: string }) => role.name === name).id
    await client.put(`/v1/members/${developer.id}`, { role_id: roleId('Admin') })
    expect(await list()).toMatchObject([{ peopleCount: 2 }, { peopleCount: 2 }])
    await client.put(`/v1/members/${developer.id}`, { role_id: roleId('Developer') })
    expect(await list()).toMatchObject([{ peopleCount: 2 }, { peopleCount: 1 }])
  })

  test('counts the secrets of each, and tells when one was changed last', async () => {
    expect(await list()).toMatchObject([
      { secretCount: 0, secretsChangedAt: null },
      { secretCount: 0, secretsChangedAt: null },
    ])
    ctx.clock.advance(60)
    const secrets = secretsOf(client, idAt(1))
    const made = (await secrets('POST', [sealedSecret('ONE'), sealedSecret('TWO')])).body
    const secretsChangedAt = ctx.clock.now().toISOString()
    expect(await list()).toMatchObject([{ secretCount: 0 }, { secretCount: 2, secretsChangedAt }])
    ctx.clock.advance(60)
    await secrets('DELETE', [made[0].id])
    const later = ctx.clock.now().toISOString()
    expect(await list()).toMatchObject([{}, { secretCount: 1, secretsChangedAt: later }])
  })

  test('tells each caller what it may read, of the environments that it can open', async () => {
    const keysFor = async (permissions: object, app_permissions: object) => {
      const name = `Role ${crypto.randomUUID()}`
      const role = await client.post('/v1/roles', { name, permissions: { permissions, app_permissions } })
      const person = await member(ctx, role.body)
      await client.put(`/v1/members/${person.id}/access`, {
        apps: [{ id: shop.id, environments: [idAt(0)] }],
      })
      const found = await list(service.as(person.token))
      expect(found).toHaveLength(1)
      return Object.keys(found[0]).slice(6)
    }
    const Environments = ['read']
    expect(await keysFor({}, { Environments })).toEqual([])
    expect(await keysFor({}, { Environments, Secrets: ['read'] })).toEqual([
      'secretCount',
      'secretsChangedAt',
    ])
    expect(await keysFor({ Members: ['read'] }, { Environments, Members: ['read'] })).toEqual([
      'peopleCount',
      'machineCount',
    ])
    expect(await keysFor({}, { Environments, Members: ['read'] })).toEqual([])
  })

  test('leaves the ETag of one environment alone, with which it is renamed', async () => {
    const path = `/v1/environments/${idAt(1)}`
    const etag = (await client.get(path)).headers.get('etag') ?? ''
    await secretsOf(client, idAt(1))('POST', [sealedSecret('THREE')])
    const renamed = await client.send('PUT', path, {
      body: JSON.stringify({ name: 'renamed' }),
      headers: { 'if-match': etag, 'content-type': 'application/json' },
    })
    expect(renamed.status).toBe(200)
  })

  test('is one statement beside authentication', async () => {
    await list()
    expect(await countStatements(ctx, () => list())).toBe(2)
  })
})
