import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { api, type Client } from '../../support/api.ts'
import { app, type TestApp } from '../../support/apps.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { member, owner } from '../../support/people.ts'

let ctx: TestContext
let service: ReturnType<typeof api>
let client: Client
let shop: TestApp
let environmentId: string
let place: string
/** A role that may neither create nor delete secrets. */
let updaterRole: string

beforeAll(async () => {
  ctx = await testContext()
  service = api(ctx)
  client = service.as((await owner(ctx)).token)
  const permissions = { permissions: {}, app_permissions: { Secrets: ['read', 'update'] } }
  updaterRole = (await client.post('/v1/roles', { name: 'Updater', permissions })).body.id
})
beforeEach(async () => {
  ctx.clock.advance(60)
  shop = await app(ctx)
  environmentId = shop.environments[1]?.id ?? ''
  place = `/v1/secrets/?app_id=${shop.id}&env=production`
})
afterAll(() => ctx.close())

const now = () => ctx.clock.now().toISOString()
const restore = (body: object, to: Pick<Client, 'post'> = client) =>
  to.post(`/v1/environments/${environmentId}/secrets/restore`, body)
const values = async (): Promise<Record<string, string>> =>
  Object.fromEntries(
    (await client.get(place)).body.map(({ path, key, value }: Record<string, string>) => [
      `${path} ${key}`,
      value,
    ]),
  )
const add = async (secrets: object[]) => (await client.post(place, { secrets })).body
const put = (secrets: object[]) => client.put(place, { secrets })
const remove = (ids: string[]) => client.send('DELETE', place, { body: JSON.stringify({ secrets: ids }) })

describe('POST /v1/environments/:id/secrets/restore', () => {
  test('brings back what was changed, moved and deleted, and deletes what is new; a dry run only tells', async () => {
    const [changed, gone, same, swapped, other] = await add([
      { key: 'CHANGED', value: '1', tags: ['t'] },
      { key: 'GONE', value: '2', type: 'sealed' },
      { key: 'SAME', value: '3' },
      { key: 'ONE', value: 'one' },
      { key: 'TWO', value: 'two' },
    ])
    const then = await values()
    ctx.clock.advance(60)
    const at = now()
    ctx.clock.advance(60)
    await put([{ id: changed.id, value: 'other', path: '/moved', tags: [], type: 'sealed' }])
    await put([
      { id: swapped.id, key: 'TWO' },
      { id: other.id, key: 'ONE' },
    ])
    await remove([gone.id])
    const [added] = await add([{ key: 'CHANGED', value: 'in its place' }])
    const later = await values()
    const before = now()
    ctx.clock.advance(60)

    const told = await client.unrecorded.post(`/v1/environments/${environmentId}/secrets/restore`, {
      at,
      dry_run: true,
    })
    expect(told).toMatchObject({ status: 200, body: { dryRun: true, unchanged: 1, unknown: [] } })
    expect(await values()).toEqual(later)

    const done = (await restore({ at })).body
    expect(done).toEqual({ ...told.body, dryRun: false })
    expect(done.deleted).toEqual([{ id: added.id, path: '/', type: 'secret', version: 1 }])
    expect(done.restored.map(({ id }: { id: string }) => id).sort()).toEqual(
      [changed.id, gone.id, swapped.id, other.id].sort(),
    )
    expect(done.restored.find(({ id }: { id: string }) => id === changed.id).type).toBe('sealed')
    expect(await values()).toEqual(then)
    const { body } = await client.get(place)
    const byId = new Map(body.map((one: { id: string }) => [one.id, one]))
    expect(byId.get(changed.id)).toMatchObject({ version: 3, type: 'sealed', tags: ['t'] })
    expect(byId.get(gone.id)).toMatchObject({ version: 3, type: 'sealed' })
    expect(byId.get(same.id)).toMatchObject({ version: 1 })
    // Once more changes nothing, and what was before can be had again.
    expect(
      (await client.unrecorded.post(`/v1/environments/${environmentId}/secrets/restore`, { at })).body,
    ).toMatchObject({
      restored: [],
      deleted: [],
      unchanged: 5,
    })
    ctx.clock.advance(60)
    expect(await restore({ at: before })).toMatchObject({ status: 200, body: { unchanged: 1 } })
    expect(await values()).toEqual(later)
  })

  test('goes back through a renewal of the keys, and to before there was anything', async () => {
    const start = now()
    ctx.clock.advance(60)
    const [one] = await add([{ key: 'ONE', value: '1' }])
    const at = now()
    ctx.clock.advance(60)
    await put([{ id: one.id, value: '2' }])
    await client.post(`/v1/environments/${environmentId}/rekey`)
    await restore({ at })
    expect(await values()).toEqual({ '/ ONE': '1' })
    ctx.clock.advance(60)
    await restore({ at: start })
    expect(await values()).toEqual({})
  })

  test('leaves alone what it no longer has versions of', async () => {
    const [one] = await add([{ key: 'ONE', value: '1' }])
    const at = now()
    ctx.clock.advance(60)
    await put([{ id: one.id, value: '2' }])
    await ctx.db`delete from secret_versions where secret_id = ${one.id} and version = 1`
    const { body } = await client.unrecorded.post(`/v1/environments/${environmentId}/secrets/restore`, { at })
    expect(body).toMatchObject({ restored: [], deleted: [], unknown: [{ id: one.id, version: 2 }] })
    expect(await values()).toEqual({ '/ ONE': '2' })
  })

  test('sixty times an hour for each member, dry runs included', async () => {
    const at = now()
    ctx.clock.advance(3600)
    const restores = Array.from({ length: 59 }, () => restore({ at, dry_run: true }, client.unrecorded))
    for (const { status } of await Promise.all(restores)) expect(status).toBe(200)
    expect((await restore({ at }, client.unrecorded)).status).toBe(200)
    expect(await restore({ at, dry_run: true }, client.unrecorded)).toMatchObject({
      status: 429,
      body: { error: 'You can restore environments 60 times an hour, dry runs included. Try again later.' },
    })
    const other = service.as((await member(ctx, 'admin')).token)
    expect((await restore({ at }, other.unrecorded)).status).toBe(200)
    ctx.clock.advance(3600)
    expect((await restore({ at }, client.unrecorded)).status).toBe(200)
  })

  test('tells of deleted secrets that it no longer has versions of, too', async () => {
    const [one] = await add([{ key: 'ONE', value: '1' }])
    const at = now()
    ctx.clock.advance(60)
    await put([{ id: one.id, value: '2' }])
    await remove([one.id])
    await ctx.db`delete from secret_versions where secret_id = ${one.id} and version = 1`
    const { body } = await client.unrecorded.post(`/v1/environments/${environmentId}/secrets/restore`, { at })
    expect(body).toMatchObject({ restored: [], deleted: [], unknown: [{ id: one.id, version: 3 }] })
  })

  test('is refused where a secret that it leaves alone has the name of another one, dry or not', async () => {
    const [one, two] = await add([
      { key: 'ONE', value: '1' },
      { key: 'TWO', value: '2' },
    ])
    const at = now()
    ctx.clock.advance(60)
    await remove([one.id])
    await put([{ id: two.id, key: 'ONE' }])
    await ctx.db`delete from secret_versions where secret_id = ${two.id} and version = 1`
    for (const dry_run of [true, false]) {
      expect(await restore({ at, dry_run })).toMatchObject({
        status: 409,
        body: {
          error: `The secret ${one.id} had the name that the secret ${two.id} has now, whose versions of that time are no longer kept. Rename or delete that one first.`,
        },
      })
    }
    const updater = await member(ctx, { id: updaterRole })
    await client.put(`/v1/members/${updater.id}/access`, {
      apps: [{ id: shop.id, environments: [environmentId] }],
    })
    expect((await restore({ at }, service.as(updater.token))).status).toBe(403)
    expect(await values()).toEqual({ '/ ONE': '2' })
  })

  test('is refused beyond what an environment can hold, dry or not', async () => {
    const large = Array.from({ length: 92 }, (_, index) => ({ key: `K${index}`, value: 'v'.repeat(65_000) }))
    const made: { id: string }[] = []
    for (let first = 0; first < 92; first += 10) made.push(...(await add(large.slice(first, first + 10))))
    const at = now()
    ctx.clock.advance(60)
    await remove(made.map(({ id }) => id))
    const others = large.map(({ value }, index) => ({ key: `L${index}`, value }))
    const kept: { id: string }[] = []
    for (let first = 0; first < 92; first += 10) kept.push(...(await add(others.slice(first, first + 10))))
    await ctx.db`delete from secret_versions where secret_id in ${ctx.db(kept.map(({ id }) => id))}`
    await ctx.db`
      insert into secret_versions select (jsonb_populate_record(null::secret_versions, to_jsonb(s) || jsonb_build_object(
        'secret_id', s.id, 'version', 2, 'event', 'updated', 'actor_type', 'user', 'actor_id', s.id, 'actor_name', ''))).*
      from secrets s where environment_id = ${environmentId}`
    for (const dry_run of [true, false]) {
      expect((await restore({ at, dry_run })).body.error).toMatch(/8 MiB|bytes/)
    }
  })

  test('is refused for a time to come, without access, and without the permissions that it needs', async () => {
    const start = now()
    ctx.clock.advance(60)
    const [one] = await add([{ key: 'ONE', value: '1' }])
    const at = now()
    ctx.clock.advance(60)
    for (const wrong of ['2999-01-01T00:00:00Z', 'yesterday', '2026-02-30T00:00:00Z', 1, null]) {
      expect((await restore({ at: wrong })).status).toBe(400)
    }
    expect((await restore({})).status).toBe(400)
    expect((await restore({ at, extra: 1 })).status).toBe(400)
    const updater = await member(ctx, { id: updaterRole })
    const theirs = service.as(updater.token)
    expect((await restore({ at }, theirs)).status).toBe(404)
    await client.put(`/v1/members/${updater.id}/access`, {
      apps: [{ id: shop.id, environments: [environmentId] }],
    })
    expect((await restore({ at: start }, theirs)).status).toBe(403)
    await put([{ id: one.id, value: '2' }])
    expect((await restore({ at }, theirs)).status).toBe(200)
    await remove([one.id])
    expect((await restore({ at }, theirs)).status).toBe(403)
    expect(await values()).toEqual({})
  })
})
