import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import type { App } from '../../../src/core/apps/app.ts'
import { unwrapForServer } from '../../../src/core/environments/key-copies.ts'
import { environmentKeyPair } from '../../../src/core/keys/environment-keys.ts'
import { identityKeyToX25519Public, identityKeyToX25519Secret } from '../../../src/core/keys/identity-keys.ts'
import { unwrapWithSecretKey } from '../../../src/core/keys/wrapping.ts'
import { privateKeyField } from '../../../src/core/principals/principals.ts'
import { api } from '../../support/api.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { member, owner, type Person, serviceAccount } from '../../support/people.ts'
import { countStatements } from '../../support/statements.ts'

let ctx: TestContext
let ada: Person
let admin: Person
let developer: Person
let robot: { id: string; token: string }
let service: ReturnType<typeof api>

beforeAll(async () => {
  ctx = await testContext()
  service = api(ctx)
  ada = await owner(ctx)
  admin = await member(ctx, 'admin')
  developer = await member(ctx, 'developer')
  robot = await serviceAccount(ctx, 'service')
})
afterAll(() => ctx.close())

const create = async (token: string, count: number): Promise<App> => {
  const environments = Array.from({ length: count }, (_, n) => `e${n}`)
  const { body } = await service.as(token).post('/v1/apps', { name: `App ${randomUUID()}`, environments })
  return body
}

type Environment = { id: string; public_key: string; wrapped_seed: string; wrapped_salt: string }
const stored = (appId: string) => ctx.db<Environment[]>`
  select id, public_key, wrapped_seed, wrapped_salt from environments where app_id = ${appId} order by index`

/** What a principal reads in its copy of an environment's keys. */
async function open(principalId: string, environmentId: string) {
  const [row] = await ctx.db<
    { identity_key: string; wrapped_private_key: string; wrapped_seed: string; wrapped_salt: string }[]
  >`
    select p.identity_key, p.wrapped_private_key, k.wrapped_seed, k.wrapped_salt
    from principals p join environment_keys k on k.principal_id = p.id
    where p.id = ${principalId} and k.environment_id = ${environmentId}`
  if (row === undefined) return null
  const privateKey = ctx.keys.unwrap('identity-key', row.wrapped_private_key, privateKeyField(principalId))
  const publicHalf = identityKeyToX25519Public(row.identity_key)
  const secretHalf = identityKeyToX25519Secret(privateKey)
  return {
    seed: unwrapWithSecretKey(row.wrapped_seed, publicHalf, secretHalf),
    salt: unwrapWithSecretKey(row.wrapped_salt, publicHalf, secretHalf),
  }
}

describe('the keys of a new environment', () => {
  test("the server's copy and those of members with global access hold the same seed, that of the public key", async () => {
    const app = await create(ada.token, 2)
    const environments = await stored(app.id)
    const seeds = environments.map((environment) => unwrapForServer(ctx, environment).seed)
    expect(new Set(seeds).size).toBe(2)
    for (const environment of environments) {
      const secrets = unwrapForServer(ctx, environment)
      expect(secrets.salt).not.toBe(secrets.seed)
      expect(await open(ada.id, environment.id)).toEqual(secrets)
      expect(await open(admin.id, environment.id)).toEqual(secrets)
      expect(await open(developer.id, environment.id)).toBeNull()
      expect(await open(robot.id, environment.id)).toBeNull()
      const { publicKey } = environmentKeyPair(secrets.seed)
      expect(Buffer.from(publicKey).toString('hex')).toBe(environment.public_key)
    }
  })

  test('a creator without global access gets a grant and a copy of its own, nobody else does', async () => {
    const app = await create(robot.token, 2)
    const added = await service.as(robot.token).post(`/v1/environments?app_id=${app.id}`, { name: 'later' })
    const environments = await stored(app.id)
    expect(environments.map(({ id }) => id)).toEqual([...app.environments, added.body].map(({ id }) => id))
    for (const environment of environments) {
      const secrets = unwrapForServer(ctx, environment)
      for (const { id } of [ada, admin, robot]) expect(await open(id, environment.id)).toEqual(secrets)
      expect(await open(developer.id, environment.id)).toBeNull()
    }
    const grants = await ctx.db`select principal_id from grants where app_id = ${app.id}`
    expect(grants.map((grant) => grant.principal_id)).toEqual([robot.id, robot.id, robot.id])
  })

  test('global access is never stored as a grant', async () => {
    const app = await create(admin.token, 1)
    expect(await ctx.db`select 1 from grants where app_id = ${app.id}`).toHaveLength(0)
  })

  test('plaintext keys appear in no response, audit entry or table', async () => {
    const app = await create(ada.token, 1)
    const [environment] = await stored(app.id)
    if (environment === undefined) throw new Error('the app has an environment')
    const { seed, salt } = unwrapForServer(ctx, environment)
    const trail = JSON.stringify(await ctx.db`select * from audit_entries`)
    const rows = JSON.stringify(
      await ctx.db`
      select to_json(e) as row from environments e union all select to_json(k) from environment_keys k`,
    )
    for (const secret of [seed, salt]) {
      expect(JSON.stringify(app) + trail + rows).not.toContain(secret)
    }
    expect(trail).not.toContain('ph:v1:')
    expect(trail).not.toContain('kw:1:')
  })

  test('environments created together have the same order by index and by id', async () => {
    const app = await create(ada.token, 12)
    const ids = app.environments.map(({ id }) => id)
    expect(app.environments.map(({ name }) => name)).toEqual(ids.map((_, n) => `e${n}`))
    expect(ids.toSorted()).toEqual(ids)
  })
})

describe('the number of statements', () => {
  test('is two for reading apps and environments, however many there are', async () => {
    const { id, environments } = await create(robot.token, 3)
    for (const { token } of [ada, robot]) {
      const client = service.as(token)
      const reads = ['/v1/apps', `/v1/apps/${id}`, `/v1/environments?app_id=${id}`]
      for (const path of [...reads, `/v1/environments/${environments[0]?.id}`]) {
        await client.get(path)
        expect(await countStatements(ctx, () => client.get(path))).toBe(2)
      }
    }
    for (let n = 0; n < 50; n++) await create(robot.token, 2)
    for (const { token } of [ada, robot]) {
      const { body } = await service.as(token).get('/v1/apps')
      expect(body.data.length).toBeGreaterThan(50)
      expect(await countStatements(ctx, () => service.as(token).get('/v1/apps'))).toBe(2)
    }
  })

  test('is the same for an app with 1 environment and with 20, for every creator', async () => {
    for (const { token } of [ada, robot]) {
      await create(token, 1)
      const one = await countStatements(ctx, () => create(token, 1))
      expect(await countStatements(ctx, () => create(token, 20))).toBe(one)
      expect(one).toBeLessThanOrEqual(14)
    }
  })
})
