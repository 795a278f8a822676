import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { removeExpired } from '../../../src/core/housekeeping.ts'
import { openDatabase } from '../../../src/platform/postgres/database.ts'
import { api } from '../../support/api.ts'
import type { TestContext } from '../../support/context.ts'
import { testContext } from '../../support/context.ts'
import { member, owner, type Person } from '../../support/people.ts'
import { raceFor } from '../../support/races.ts'
import { seal, sealedSecret, secretsOf } from '../../support/secrets.ts'

const ROUNDS = 6

let ctx: TestContext
let other: TestContext
let ada: Person
/** Two backends on one database, each with connections of its own. */
let here: ReturnType<typeof api>
let there: ReturnType<typeof api>
let appId: string
let environmentId: string
let secrets: ReturnType<typeof secretsOf>

beforeAll(async () => {
  ctx = await testContext()
  other = { ...ctx, db: openDatabase(ctx.database.config) }
  here = api(ctx)
  there = api(other)
  ada = await owner(ctx)
})
afterAll(async () => {
  await other.db.end({ timeout: 1 })
  await ctx.close()
})
beforeEach(() => newEnvironment())

async function newEnvironment(): Promise<void> {
  const { body } = await here.as(ada.token).post('/v1/apps', {
    name: `App ${crypto.randomUUID()}`,
    environments: ['One'],
  })
  appId = body.id
  environmentId = body.environments[0].id
  secrets = secretsOf(here.as(ada.token), environmentId)
}

const elsewhere = (token: string) => secretsOf(there.as(token), environmentId)
const statuses = (answers: readonly { status: number }[]) => answers.map(({ status }) => status).sort()

test('two writers of one key at one path: one succeeds, whether they create it or move there', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const path = `/${round}`
    const both = await Promise.all([
      secrets('POST', [sealedSecret('ONE', 'here', { path })]),
      elsewhere(ada.token)('POST', [sealedSecret('ONE', 'there', { path })]),
    ])
    expect(statuses(both)).toEqual([200, 409])
    const [moving] = (await secrets('POST', [sealedSecret('ONE', 'x', { path: `${path}/other` })])).body
    const winner = both.find(({ status }) => status === 200)?.body[0]
    const moves = await Promise.all([
      secrets('PUT', [{ id: winner.id, path: `${path}/new` }]),
      elsewhere(ada.token)('PUT', [{ id: moving.id, path: `${path}/new` }]),
    ])
    expect(statuses(moves)).toEqual([200, 409])
  }
})

test('two changes of one secret come one after the other: each has a version', async () => {
  const [one] = (await secrets('POST', [sealedSecret('ONE')])).body
  const writers = Array.from({ length: 8 }, (_, index) => index)
  const answers = await Promise.all(
    writers.map((index) =>
      (index % 2 === 0 ? secrets : elsewhere(ada.token))('PUT', [{ id: one.id, value: seal(`${index}`) }]),
    ),
  )
  const versions = answers.map(({ body }) => body[0].version).sort((a, b) => a - b)
  expect(versions).toEqual([2, 3, 4, 5, 6, 7, 8, 9])
  const listed = (await here.as(ada.token).get(`/v1/secrets/${one.id}/versions`)).body
  expect(listed).toHaveLength(9)
})

test('two secrets change places in one request, and two requests that want to do no harm', async () => {
  const sent = [sealedSecret('ONE', 'x', { path: '/a' }), sealedSecret('ONE', 'y', { path: '/b' })]
  const [a, b] = (await secrets('POST', sent)).body
  const swap = [
    { id: a.id, path: '/b' },
    { id: b.id, path: '/a' },
  ]
  const both = await Promise.all([secrets('PUT', swap), elsewhere(ada.token)('PUT', swap)])
  expect(statuses(both)).toEqual([200, 200])
  const paths = (await secrets('GET')).body.map(({ id, path }: { id: string; path: string }) => [id, path])
  expect(paths.sort()).toEqual(
    [
      [a.id, '/b'],
      [b.id, '/a'],
    ].sort(),
  )
})

test('a write beside the deletion of its environment: it is stored before, or finds none', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    await newEnvironment()
    const owner = here.as(ada.token)
    const target = round % 2 === 0 ? `/v1/environments/${environmentId}` : `/v1/apps/${appId}`
    const [written, deleted] = await Promise.all([
      elsewhere(ada.token)('POST', [sealedSecret('ONE')]),
      owner.delete(target),
    ])
    expect([200, 404]).toContain(written.status)
    expect(deleted.status).toBe(204)
    expect((await secrets('GET')).status).toBe(404)
  }
  const [left] = await ctx.db<{ count: number }[]>`
    select count(*)::int as count from secret_versions v
    where not exists (select 1 from environments e where e.id = v.environment_id)`
  expect(left?.count).toBe(0)
})

test('a write that waits for its environment, which is deleted, finds none', async () => {
  const [written] = await raceFor(
    ctx.db,
    (tx) => tx`delete from environments where id = ${environmentId}`,
    () => elsewhere(ada.token)('POST', [sealedSecret('ONE')]),
  )
  expect(written?.status).toBe(404)
})

test('a revoke beside a read: what was answered after it has nothing', async () => {
  await secrets('POST', [sealedSecret('ONE')])
  const reader = await member(ctx, 'developer')
  const grant = { apps: [{ id: appId, environments: [environmentId] }] }
  const path = `/v1/members/${reader.id}/access`
  for (let round = 0; round < ROUNDS; round++) {
    expect((await here.as(ada.token).put(path, grant)).status).toBe(200)
    expect((await elsewhere(reader.token)('GET')).body).toHaveLength(1)
    const during = Array.from({ length: 5 }, () => elsewhere(reader.token)('GET'))
    expect((await here.as(ada.token).put(path, { apps: [] })).status).toBe(200)
    expect((await elsewhere(reader.token)('GET')).status).toBe(404)
    for (const { status, body } of await Promise.all(during)) {
      expect(status === 404 || (status === 200 && body.length === 1)).toBe(true)
    }
  }
})

test('a revoke beside an override: none is left of whom has no access', async () => {
  const [one, two] = (await secrets('POST', [sealedSecret('ONE'), sealedSecret('TWO')])).body
  const writer = await member(ctx, 'developer')
  const grant = { apps: [{ id: appId, environments: [environmentId] }] }
  const path = `/v1/members/${writer.id}/access`
  for (let round = 0; round < ROUNDS; round++) {
    expect((await here.as(ada.token).put(path, grant)).status).toBe(200)
    await elsewhere(writer.token)('PUT', [{ id: one.id, override: { value: seal('before') } }])
    const [written, revoked] = await Promise.all([
      elsewhere(writer.token)('PUT', [
        { id: one.id, override: { value: seal('mine') } },
        { id: two.id, override: { value: seal('mine') } },
      ]),
      here.as(ada.token).put(path, { apps: [] }),
    ])
    expect([200, 404]).toContain(written.status)
    expect(revoked.status).toBe(200)
    expect(await overridesOf(writer.id)).toBe(0)
  }
})

const overridesOf = async (id: string): Promise<number> =>
  (await ctx.db`select 1 from secret_overrides where principal_id = ${id}`).length

test('overrides go with the access, the role, the membership and the secret, and come back with none', async () => {
  const [one, two] = (await secrets('POST', [sealedSecret('ONE'), sealedSecret('TWO')])).body
  const grant = { apps: [{ id: appId, environments: [environmentId] }] }
  const owner = here.as(ada.token)
  const writer = await member(ctx, 'admin')
  const theirs = secretsOf(here.as(writer.token), environmentId)
  const override = () =>
    theirs('PUT', [
      { id: one.id, override: { value: seal('mine') } },
      { id: two.id, override: { value: seal('mine') } },
    ])
  expect((await override()).status).toBe(200)
  expect(await overridesOf(writer.id)).toBe(2)
  const roles = (await owner.get('/v1/roles')).body.data as { id: string; name: string }[]
  const roleId = (name: string) => roles.find((role) => role.name === name)?.id
  await owner.put(`/v1/members/${writer.id}`, { role_id: roleId('Developer') })
  expect(await overridesOf(writer.id)).toBe(0)
  expect((await theirs('GET')).status).toBe(404)
  await owner.put(`/v1/members/${writer.id}/access`, grant)
  expect((await theirs('GET')).body[0].override).toBeNull()
  await override()
  await owner.put(`/v1/members/${writer.id}`, { role_id: roleId('Admin') })
  expect(await overridesOf(writer.id)).toBe(2)
  await secrets('DELETE', [one.id])
  expect(await overridesOf(writer.id)).toBe(1)
  await owner.delete(`/v1/members/${writer.id}`)
  expect(await overridesOf(writer.id)).toBe(0)
})

test('writes of one environment do not wait for a change of the organisation, nor for another environment', async () => {
  const first = secrets
  await newEnvironment()
  await ctx.db.begin(async (tx) => {
    await tx`select 1 from organisations for no key update`
    expect((await first('POST', [sealedSecret('ONE')])).status).toBe(200)
    await tx`select 1 from environments where id = ${environmentId} for no key update`
    expect((await first('POST', [sealedSecret('TWO')])).status).toBe(200)
  })
})

test('versions are pruned beside writes and restores, without harm', async () => {
  const [one] = (await secrets('POST', [sealedSecret('ONE')])).body
  await ctx.db`update secrets set version = 150 where id = ${one.id}`
  await ctx.db`
    insert into secret_versions
    select (jsonb_populate_record(v, jsonb_build_object('version', n))).*
    from secret_versions v, generate_series(2, 150) n where v.secret_id = ${one.id}`
  const client = there.as(ada.token)
  await Promise.all([
    removeExpired(ctx),
    removeExpired(other),
    elsewhere(ada.token)('PUT', [{ id: one.id, value: seal('new') }]),
    client.unrecorded.post(`/v1/secrets/${one.id}/restore`, { version: 140 }).catch(() => {}),
  ])
  await removeExpired(ctx)
  const [kept] = await ctx.db<{ count: number; newest: number; stored: number }[]>`
    select count(*)::int as count, max(v.version) as newest, max(s.version) as stored
    from secret_versions v join secrets s on s.id = v.secret_id where v.secret_id = ${one.id}`
  expect(kept?.count).toBe(100)
  expect(kept?.newest).toBe(kept?.stored)
})
