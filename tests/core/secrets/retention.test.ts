import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { doInParts } from '../../../src/core/parts.ts'
import { oldVersions } from '../../../src/core/secrets/retention.ts'
import { api, type Client } from '../../support/api.ts'
import { app } from '../../support/apps.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { owner } from '../../support/people.ts'
import { seal, sealedSecret, secretsOf } from '../../support/secrets.ts'

const DAY_SECONDS = 24 * 3600

let ctx: TestContext
let client: Client
let secrets: ReturnType<typeof secretsOf>

const removeOldVersions = (ctx: TestContext) => doInParts(oldVersions(ctx))

beforeAll(async () => {
  ctx = await testContext()
  client = api(ctx).as((await owner(ctx)).token)
  secrets = secretsOf(client, (await app(ctx)).environments[0]?.id ?? '')
})
afterAll(() => ctx.close())

const versionsOf = async (id: string): Promise<number[]> =>
  (
    await ctx.db<{ version: number }[]>`
    select version from secret_versions where secret_id = ${id} order by version`
  ).map(({ version }) => version)

test('the newest hundred versions of a secret are kept', async () => {
  const [one, two] = (await secrets('POST', [sealedSecret('ONE'), sealedSecret('TWO')])).body
  for (let round = 0; round < 104; round++) await secrets('PUT', [{ id: one.id, value: seal(`${round}`) }])
  await removeOldVersions(ctx)
  expect(await versionsOf(one.id)).toEqual(Array.from({ length: 100 }, (_, index) => index + 6))
  expect(await versionsOf(two.id)).toEqual([1])
})

test('versions of a deleted secret are kept for 90 days after its last deletion', async () => {
  const [gone, back, kept] = (
    await secrets('POST', [sealedSecret('GONE'), sealedSecret('BACK'), sealedSecret('KEPT')])
  ).body
  await secrets('DELETE', [gone.id, back.id])
  ctx.clock.advance(50 * DAY_SECONDS)
  await client.post(`/v1/secrets/${back.id}/restore`, { version: 1 })
  await secrets('DELETE', [back.id])
  ctx.clock.advance(39 * DAY_SECONDS)
  await removeOldVersions(ctx)
  expect(await versionsOf(gone.id)).toEqual([1, 2])
  ctx.clock.advance(2 * DAY_SECONDS)
  await removeOldVersions(ctx)
  expect(await versionsOf(gone.id)).toEqual([])
  expect(await versionsOf(back.id)).toEqual([1, 2, 3, 4])
  expect((await client.get(`/v1/secrets/${gone.id}/versions`)).status).toBe(404)
  ctx.clock.advance(50 * DAY_SECONDS)
  await removeOldVersions(ctx)
  expect(await versionsOf(back.id)).toEqual([])
  expect(await versionsOf(kept.id)).toEqual([1])
})

describe('environments whose versions take too many bytes', () => {
  const MIB = 1024 * 1024
  let environmentId: string
  let deleted: string

  /** An environment that the release before wrote, with two versions of a deleted secret. */
  const filled = async (megabytes: number) => {
    environmentId = (await app(ctx)).environments[0]?.id ?? ''
    secrets = secretsOf(client, environmentId)
    const [one] = (await secrets('POST', [sealedSecret('ONE')])).body
    deleted = one.id
    await secrets('DELETE', [deleted])
    await ctx.db`update secret_versions set comment = repeat('x', ${megabytes * MIB}) where secret_id = ${deleted}`
    await ctx.db`update environments set versions_bytes = null where id = ${environmentId}`
  }
  const counted = async () => {
    const [row] = await ctx.db<{ bytes: number | null }[]>`
      select versions_bytes::float8 as bytes from environments where id = ${environmentId}`
    return row?.bytes ?? null
  }

  test('lose the oldest, also where nobody changes them', async () => {
    await filled(40)
    await removeOldVersions(ctx)
    expect(await versionsOf(deleted)).toEqual([2])
    expect(await counted()).toBeWithin(40 * MIB, 40 * MIB + 2000)
    await filled(30)
    await removeOldVersions(ctx)
    expect(await versionsOf(deleted)).toEqual([1, 2])
    expect(await counted()).toBeWithin(60 * MIB, 60 * MIB + 4000)
  })

  test('are left to whoever changes them', async () => {
    await filled(40)
    await ctx.db.begin(async (tx) => {
      await tx`select 1 from environments where id = ${environmentId} for no key update`
      await removeOldVersions(ctx)
    })
    expect(await versionsOf(deleted)).toEqual([1, 2])
    await secrets('POST', [sealedSecret('TWO')])
    expect(await versionsOf(deleted)).toEqual([2])
  })

  test('have room again once those of a deleted secret are gone', async () => {
    await filled(31)
    const [kept] = (await secrets('POST', [sealedSecret('KEPT')])).body
    ctx.clock.advance(91 * DAY_SECONDS)
    await removeOldVersions(ctx)
    expect(await versionsOf(deleted)).toEqual([])
    await secrets('PUT', [{ id: kept.id, value: seal('new') }])
    expect(await counted()).toBeGreaterThan(62 * MIB)
    await ctx.db`update environments set versions_bytes = ${65 * MIB} where id = ${environmentId}`
    await secrets('PUT', [{ id: kept.id, value: seal('newer') }])
    expect(await versionsOf(kept.id)).toEqual([1, 2, 3])
    expect(await counted()).toBeLessThan(10_000)
  })
})
