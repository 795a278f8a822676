import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { api, type Client } from '../../support/api.ts'
import { app, type TestApp } from '../../support/apps.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { owner } from '../../support/people.ts'

const MIB = 1024 * 1024
const MOST = 64 * MIB

let ctx: TestContext
let client: Client
let shop: TestApp
let environmentId: string
let place: string

beforeAll(async () => {
  ctx = await testContext()
  client = api(ctx).as((await owner(ctx)).token)
})
beforeEach(async () => {
  shop = await app(ctx)
  environmentId = shop.environments[1]?.id ?? ''
  place = `/v1/secrets/?app_id=${shop.id}&env=production`
})
afterAll(() => ctx.close())

const create = async (...keys: string[]) => {
  const { status, body } = await client.post(place, { secrets: keys.map((key) => ({ key, value: 'x' })) })
  expect(status).toBe(200)
  return body as { id: string }[]
}
const change = (id: string, value: string) => client.put(place, { secrets: [{ id, value }] })
const remove = (...secrets: (string | undefined)[]) =>
  client.send('DELETE', place, { body: JSON.stringify({ secrets }) })
const restore = (id: string, version: number) => client.post(`/v1/secrets/${id}/restore`, { version })

/** Has versions of a secret take so many bytes each, and the environment be one that the release before wrote. */
async function fill(id: string | undefined, megabytes: number, versions = [1]): Promise<void> {
  await ctx.db`
    update secret_versions set comment = repeat('x', ${Math.floor(megabytes * MIB)})
    where secret_id = ${id as string} and version = any(${versions}::int[])`
  await ctx.db`update environments set versions_bytes = null where id = ${environmentId}`
}

const versionsOf = async (id: string | undefined): Promise<number[]> =>
  (
    await ctx.db<{ version: number }[]>`
      select version from secret_versions where secret_id = ${id as string} order by version`
  ).map(({ version }) => version)

/** What the versions count, each its texts and 1 KiB more, and what the environment has counted. */
async function taken(): Promise<{ bytes: number; counted: number | null }> {
  const [row] = await ctx.db<{ bytes: number; counted: number | null }[]>`
    select coalesce(sum(1024 + octet_length(v.key) + octet_length(v.value) + octet_length(v.comment) + octet_length(v.path)
        + octet_length(array_to_string(v.tags, ','))), 0)::float8 as bytes, e.versions_bytes::float8 as counted
    from environments e left join secret_versions v on v.environment_id = e.id
    where e.id = ${environmentId} group by e.id`
  if (row === undefined) throw new Error('The environment is gone.')
  return row
}

describe('what the versions of an environment can take', () => {
  test('is counted by every change, in the same transaction', async () => {
    expect(await taken()).toEqual({ bytes: 0, counted: 0 })
    const [one, two] = await create('ONE', 'TWO')
    await change(one?.id ?? '', 'changed')
    await remove(two?.id)
    expect((await restore(two?.id ?? '', 1)).status).toBe(200)
    await client.put(place, { secrets: [{ id: one?.id, tags: ['a', 'b'], path: '/folder' }] })
    const { bytes, counted } = await taken()
    expect(bytes).toBeGreaterThan(1000)
    expect(counted).toBe(bytes)
    expect((await create('ONE')).length).toBe(1)
  })

  test('holds the newest hundred of each secret, and no more for a moment', async () => {
    const [hot, other] = await create('HOT', 'OTHER')
    const id = hot?.id ?? ''
    await change(other?.id ?? '', 'changed')
    await ctx.db`
      insert into secret_versions
      select (jsonb_populate_record(v, jsonb_build_object('version', n))).*
      from secret_versions v, generate_series(2, 99) n where v.secret_id = ${id}`
    await ctx.db`update secrets set version = 99 where id = ${id}`
    expect((await change(id, 'the hundredth')).status).toBe(200)
    expect((await versionsOf(id)).length).toBe(100)
    expect((await change(id, 'one more')).status).toBe(200)
    expect((await restore(id, 40)).status).toBe(200)
    expect(await versionsOf(id)).toEqual(Array.from({ length: 100 }, (_, index) => index + 3))
    expect((await restore(id, 2)).status).toBe(404)
    expect(await versionsOf(other?.id)).toEqual([1, 2])
    const { bytes, counted } = await taken()
    expect(counted).toBe(bytes)
  })

  test('stays bounded where secrets are created and deleted again and again', async () => {
    const [kept, old] = await create('KEPT', 'OLD')
    for (const value of ['two', 'three']) await change(kept?.id ?? '', value)
    await remove(old?.id)
    ctx.clock.advance(60)
    await fill(old?.id, 57)
    const gone: string[] = []
    for (let round = 0; round < 6; round++) {
      ctx.clock.advance(60)
      const large = Array.from({ length: 15 }, (_, n) => ({ key: `L_${n}`, value: 'x'.repeat(64_000) }))
      const { status, body } = await client.post(place, { secrets: large })
      expect(status).toBe(200)
      expect((await remove(...body.map(({ id }: { id: string }) => id))).status).toBe(200)
      gone.push(body[0].id)
      expect((await taken()).bytes).toBeLessThanOrEqual(MOST)
    }
    expect(await versionsOf(old?.id)).not.toContain(1)
    expect(await versionsOf(kept?.id)).toEqual([1, 2, 3])
    for (const id of gone) expect(await versionsOf(id)).toEqual([1, 2])
    expect((await restore(gone.at(-1) ?? '', 1)).status).toBe(200)
  }, 60_000)

  test('the versions of what was deleted longest ago go first, older ones of what is there stay', async () => {
    const [living] = await create('LIVING')
    ctx.clock.advance(60)
    await change(living?.id ?? '', 'new')
    const [last, first] = await create('LAST', 'FIRST')
    for (const one of [first, last]) {
      ctx.clock.advance(60)
      await remove(one?.id)
      await fill(one?.id, 30)
    }
    await fill(living?.id, 15)
    await create('ANOTHER')
    expect(await versionsOf(first?.id)).toEqual([2])
    expect(await versionsOf(last?.id)).toEqual([1, 2])
    expect(await versionsOf(living?.id)).toEqual([1, 2])
    const { bytes, counted } = await taken()
    expect(counted).toBe(bytes)
  })

  test('so many go at once that the next changes have none to delete', async () => {
    const [one] = await create('ONE')
    const versions = Array.from({ length: 33 }, (_, index) => index + 1)
    for (const version of versions) await change(one?.id ?? '', `${version}`)
    await fill(one?.id, 2, versions)
    expect((await change(one?.id ?? '', 'last')).status).toBe(200)
    const { bytes, counted } = await taken()
    expect(bytes).toBeLessThanOrEqual(56 * MIB)
    expect(bytes).toBeGreaterThan(53 * MIB)
    expect(counted).toBe(bytes)
  })

  test('then the oldest of the others go; one that is gone is as unknown as any', async () => {
    const [one, two] = await create('ONE', 'TWO')
    for (const value of ['two', 'three', 'four']) {
      ctx.clock.advance(60)
      await change(one?.id ?? '', value)
    }
    await fill(one?.id, 25, [1, 2, 3])
    expect((await change(two?.id ?? '', 'new')).status).toBe(200)
    expect(await versionsOf(one?.id)).toEqual([2, 3, 4])
    expect(await versionsOf(two?.id)).toEqual([1, 2])
    const { status, body } = await restore(one?.id ?? '', 1)
    expect({ status, body }).toEqual(
      await restore(one?.id ?? '', 99).then((a) => ({ status: a.status, body: a.body })),
    )
    expect(status).toBe(404)
    const listed = await client.get(`/v1/secrets/${one?.id}/versions`)
    expect(listed.body.map(({ version }: { version: number }) => version)).toEqual([2, 3, 4])
  })

  test('what a secret is now never goes, however much it takes', async () => {
    const [one, two, three] = await create('ONE', 'TWO', 'THREE')
    for (const { id } of [one, two] as { id: string }[]) await fill(id, 40)
    expect((await change(three?.id ?? '', 'new')).status).toBe(200)
    for (const { id } of [one, two] as { id: string }[]) expect(await versionsOf(id)).toEqual([1])
    expect(await versionsOf(three?.id)).toEqual([2])
    expect((await taken()).bytes).toBeGreaterThan(MOST)
  })

  test('nothing goes where it fits, and another environment has its own', async () => {
    const [old, living] = await create('OLD', 'LIVING')
    await change(living?.id ?? '', 'new')
    await remove(old?.id)
    await fill(old?.id, 31, [1, 2])
    await create('ANOTHER')
    expect(await versionsOf(old?.id)).toEqual([1, 2])
    const other = `/v1/secrets/?app_id=${shop.id}&env=development`
    const large = Array.from({ length: 15 }, (_, n) => ({ key: `L_${n}`, value: 'x'.repeat(64_000) }))
    expect((await client.post(other, { secrets: large })).status).toBe(200)
    expect(await versionsOf(old?.id)).toEqual([1, 2])
    expect(await versionsOf(living?.id)).toEqual([1, 2])
  })

  test('several changes at once can’t pass it together, and none is refused', async () => {
    const [old] = await create('OLD')
    await remove(old?.id)
    await fill(old?.id, 31.9, [1, 2])
    await create('COUNTED')
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        client.post(place, { secrets: [{ key: `AT_ONCE_${n}`, value: 'x'.repeat(64_000) }] }),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))
    const { bytes, counted } = await taken()
    expect(bytes).toBeLessThanOrEqual(MOST)
    expect(counted).toBe(bytes)
    for (const { body } of answers) expect(await versionsOf(body[0].id)).toEqual([1])
  })

  test('a change waits for none that is being deleted for long; the next one goes on', async () => {
    const [old] = await create('OLD')
    await remove(old?.id)
    await fill(old?.id, 40, [1, 2])
    await ctx.db.begin(async (tx) => {
      await tx`select 1 from secret_versions where secret_id = ${old?.id ?? ''} and version = 1 for update`
      await create('MEANWHILE')
    })
    expect(await versionsOf(old?.id)).toEqual([1, 2])
    const [next] = await create('NEXT')
    expect(await versionsOf(old?.id)).toEqual([2])
    expect(await versionsOf(next?.id)).toEqual([1])
  })

  test('a change that is refused removes nothing', async () => {
    const [old] = await create('OLD')
    await remove(old?.id)
    await fill(old?.id, 40, [1, 2])
    expect((await client.post(place, { secrets: [{ key: 'not a key', value: 'x' }] })).status).toBe(400)
    expect((await restore(old?.id ?? '', 1)).status).toBe(403)
    expect(await versionsOf(old?.id)).toEqual([1, 2])
  })
})
