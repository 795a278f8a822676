import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { identityKeyToX25519Public, identityKeyToX25519Secret } from '../../../src/core/keys/identity-keys.ts'
import { unwrapWithSecretKey } from '../../../src/core/keys/wrapping.ts'
import { privateKeyField } from '../../../src/core/principals/principals.ts'
import { rekey } from '../../../src/core/secrets/rekeying.ts'
import type { Transaction } from '../../../src/platform/postgres/database.ts'
import { type Answer, api, type Client } from '../../support/api.ts'
import { app, type TestApp } from '../../support/apps.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { eventually } from '../../support/eventually.ts'
import { member, owner, type Person, roleOf } from '../../support/people.ts'

let ctx: TestContext
let service: ReturnType<typeof api>
let ada: Person
let client: Client
let dev: Person
let shop: TestApp
let place: string
let environmentId: string

const RENEWING = 'The keys of this environment are being renewed. Try again in a moment.'

beforeAll(async () => {
  ctx = await testContext()
  service = api(ctx)
  ada = await owner(ctx)
  client = service.as(ada.token)
})
beforeEach(async () => {
  shop = await app(ctx)
  environmentId = shop.environments[1]?.id ?? ''
  place = `/v1/secrets/?app_id=${shop.id}&env=production`
  dev = await member(ctx, 'developer')
  await access(dev, [environmentId])
  const mine = { override: { value: 'mine' } }
  await service
    .as(dev.token)
    .post(place, { secrets: ['A', 'B'].map((key) => ({ key, value: 'v', ...mine })) })
})
afterAll(() => ctx.close())

const access = (person: Person, environments: string[]) =>
  client.put(`/v1/members/${person.id}/access`, {
    apps: environments.length === 0 ? [] : [{ id: shop.id, environments }],
  })
const renew = (by: Person = dev, id = environmentId) =>
  service.as(by.token).post(`/v1/environments/${id}/rekey`)

const waiting = async () =>
  (
    await ctx.database.aside`
      select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
  ).length

/** Stops a renewal before its last version is written, and does work meanwhile; gives what the renewal answered. */
async function midway(work: (release: () => void) => Promise<void>, by: Person = dev): Promise<Answer> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const { promise: held, resolve: hold } = Promise.withResolvers<void>()
  const stopper = ctx.db.begin(async (tx) => {
    await tx`
      select 1 from secret_versions where environment_id = ${environmentId}
      order by secret_id desc, version desc limit 1 for update`
    hold()
    await released
  })
  await held
  const renewing = renew(by)
  await eventually('the renewal waits', async () => (await waiting()) === 1)
  await work(release).finally(release)
  await stopper
  return await renewing
}

/** The milliseconds that a request took, which must have succeeded. */
async function quick(request: Promise<Answer>): Promise<void> {
  const start = performance.now()
  const { status } = await request
  expect(status).toBeLessThan(300)
  expect(performance.now() - start).toBeLessThan(2000)
}

describe('while the keys of an environment are renewed', () => {
  test('everything else of the organisation goes on, and whoever has access in the end has the new keys', async () => {
    const eve = await member(ctx, 'developer')
    const promoted = await member(ctx, 'developer')
    const { id: admin } = await roleOf(ctx, 'admin')
    const answer = await midway(async () => {
      await quick(access(eve, [environmentId]))
      await quick(client.put(`/v1/members/${promoted.id}`, { role_id: admin }))
      await quick(client.post(`/v1/environments/?app_id=${shop.id}`, { name: 'Another' }))
      await quick(
        client.post(`/v1/secrets/?app_id=${shop.id}&env=development`, {
          secrets: [{ key: 'K', value: 'v' }],
        }),
      )
      await quick(client.get(place))
      await quick(client.delete(`/v1/members/${(await member(ctx, 'developer')).id}`))
    })
    expect(answer.status).toBe(200)
    for (const person of [ada, dev, eve, promoted]) {
      const { status, body } = await service.as(person.token).get(place)
      expect([status, body.length]).toEqual([200, 2])
    }
    expect(await strangersWithCopies()).toBe(0)
    expect(await openedBy(eve)).toEqual(await openedBy(ada))
    expect(await openedBy(promoted)).toEqual(await openedBy(ada))
  })

  test('its name and its secrets can’t be changed, nor its keys renewed once more: 409 at once', async () => {
    const [{ id }] = (await client.get(place)).body
    const deletion = { body: JSON.stringify({ secrets: [id] }) }
    const { unrecorded } = client
    const answer = await midway(async () => {
      const start = performance.now()
      const refused = [
        await unrecorded.put(`/v1/environments/${environmentId}`, { name: 'Live' }),
        await unrecorded.post(place, { secrets: [{ key: 'C', value: 'v' }] }),
        await unrecorded.put(place, { secrets: [{ id, tags: ['new'] }] }),
        await unrecorded.send('DELETE', place, deletion),
        await unrecorded.send('DELETE', '/service/secrets/', {
          ...deletion,
          headers: { environment: environmentId },
        }),
        await unrecorded.put(`/v1/secrets/${id}/override`, { plain_value: 'mine' }),
        await unrecorded.delete(`/v1/secrets/${id}/override`),
        await unrecorded.post(`/v1/secrets/${id}/restore`, { version: 1 }),
        await unrecorded.post(`/v1/environments/${environmentId}/secrets/restore`, {
          at: ctx.clock.now().toISOString(),
        }),
        await renew(ada),
      ]
      expect(performance.now() - start).toBeLessThan(5000)
      for (const { status, body } of refused) expect([status, body.error]).toEqual([409, RENEWING])
      // As another process would find it.
      const [row] = await ctx.db`
        select pg_try_advisory_xact_lock(hashtextextended(${`keyward/rekey/environment/${environmentId}`}, 0)) as free`
      expect(row?.free).toBe(false)
    })
    expect(answer.status).toBe(200)
    expect((await client.post(place, { secrets: [{ key: 'C', value: 'v' }] })).status).toBe(200)
  })

  test('the same caller’s renewal of other keys waits, and that of another process is refused', async () => {
    await ctx.db.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(hashtextextended(${`keyward/rekey/principal/${dev.id}`}, 0))`
      expect(await renew()).toMatchObject({ status: 429 })
      await tx`select pg_advisory_xact_lock(hashtextextended(${`keyward/rekey/environment/${environmentId}`}, 0))`
      expect(await renew(ada)).toMatchObject({ status: 409, body: { error: RENEWING } })
    })
  })

  test('access is revoked without a wait, and the renewal goes on', async () => {
    const answer = await midway(() => quick(access(dev, [])), ada)
    expect(answer.status).toBe(200)
    expect((await client.get(place)).body).toHaveLength(2)
    expect((await service.as(dev.token).get(place)).status).toBe(404)
    expect(await ctx.db`select 1 from secret_overrides where environment_id = ${environmentId}`).toHaveLength(
      0,
    )
    expect(await strangersWithCopies()).toBe(0)
  })

  test('whoever renews can lose access, and be removed, without a wait: then nothing is renewed', async () => {
    expect((await midway(() => quick(access(dev, [])))).status).toBe(404)
    await access(dev, [environmentId])
    const answer = await midway(() => quick(client.delete(`/v1/members/${dev.id}`)))
    expect(answer.status).toBe(401)
    expect((await client.get(place)).body).toHaveLength(2)
    expect((await renew(ada)).status).toBe(200)
  })

  test('a deletion of the environment goes first, and the renewal changes nothing', async () => {
    let deleted: Answer | undefined
    const answer = await midway(async (release) => {
      const deleting = client.delete(`/v1/environments/${environmentId}`)
      await eventually('the deletion waits', async () => (await waiting()) === 2)
      release()
      deleted = await deleting
    })
    expect(deleted?.status).toBe(204)
    expect([404, 409]).toContain(answer.status)
  })

  test('whoever loses the permission, or the mode, meanwhile is refused', async () => {
    const permissions = { permissions: {}, app_permissions: { Environments: ['read'] } }
    const { id: role } = (await client.post('/v1/roles/', { name: 'Reader', permissions })).body
    const demoted = await midway(async () => {
      await quick(client.put(`/v1/members/${dev.id}`, { role_id: role }))
    })
    expect(demoted.status).toBe(403)
    const off = await midway(async () => {
      await quick(client.put(`/v1/apps/${shop.id}`, { sse_enabled: false }))
    }, ada)
    expect(off.status).toBe(400)
  })

  test('the holder of the organisation’s row never waits for it, and no deadlock arises', async () => {
    const renewing = await ctx.db.begin(async (tx: Transaction) => {
      await tx`select 1 from organisations for no key update`
      const renewing = renew(ada)
      await eventually('the renewal waits for the organisation', async () => (await waiting()) === 1)
      const start = performance.now()
      // Takes the overrides, too, which the renewal has locked.
      await tx`delete from environment_keys where environment_id = ${environmentId} and principal_id = ${dev.id}`
      expect(performance.now() - start).toBeLessThan(2000)
      return { answer: await renewing }
    })
    expect(renewing.answer.status).toBe(409)
    expect(renewing.answer.body.error).toMatch(/was changed while its keys were being renewed/)
  })
})

describe('limits of renewals', () => {
  test('six an hour for each caller and environment', async () => {
    for (let round = 0; round < 6; round++) expect((await renew()).status).toBe(200)
    expect(await renew()).toMatchObject({
      status: 429,
      body: { error: 'You can renew the keys of an environment 6 times an hour. Try again later.' },
    })
    expect((await renew(ada)).status).toBe(200)
    ctx.clock.advance(3600)
    expect((await renew()).status).toBe(200)
  })

  test('of all service accounts of one member count together, and leave the member its own', async () => {
    const { id: role_id } = await roleOf(ctx, 'manager')
    const apps = [{ id: shop.id, environments: [environmentId] }]
    const accounts: Person[] = []
    for (const name of ['first', 'second']) {
      const { body } = await client.post('/v1/service-accounts', { name, role_id })
      expect((await client.put(`/v1/service-accounts/${body.id}/access`, { apps })).status).toBe(200)
      accounts.push({ ...ada, token: body.initialToken.token })
    }
    for (let round = 0; round < 6; round++) expect((await renew(accounts[round % 2])).status).toBe(200)
    for (const account of accounts) expect((await renew(account)).status).toBe(429)
    expect((await renew(ada)).status).toBe(200)
  })

  test('one that takes too long changes nothing, and says so', async () => {
    const organisation = { id: (await roleOf(ctx, 'admin')).organisation_id }
    const actor = { id: ada.id, responsibleId: ada.id, organisation }
    const before = await client.get(place)
    expect(rekey(ctx, actor as never, environmentId, 0)).rejects.toMatchObject({
      status: 503,
      message: expect.stringMatching(/takes too long, and was given up: nothing was changed/),
    })
    expect((await client.get(place)).body).toEqual(before.body)
  })
})

const strangersWithCopies = async (): Promise<number> =>
  (
    await ctx.db`
      select 1 from environment_keys k join principals p on p.id = k.principal_id
      where k.environment_id = ${environmentId} and p.role_kind not in ('owner', 'admin')
        and not exists (select from grants g where g.principal_id = p.id and g.environment_id = k.environment_id)`
  ).length

/** What the copies of a member's keys open to. */
const openedBy = async (person: Person) => {
  const [row] = await ctx.db`
    select p.identity_key, p.wrapped_private_key, k.wrapped_seed, k.wrapped_salt
    from environment_keys k join principals p on p.id = k.principal_id
    where k.principal_id = ${person.id} and k.environment_id = ${environmentId}`
  const secret = identityKeyToX25519Secret(
    ctx.keys.unwrap('identity-key', row?.wrapped_private_key, privateKeyField(person.id)),
  )
  const open = (text: string) =>
    unwrapWithSecretKey(text, identityKeyToX25519Public(row?.identity_key), secret)
  return { seed: open(row?.wrapped_seed), salt: open(row?.wrapped_salt) }
}
