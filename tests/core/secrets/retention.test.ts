import { afterAll, beforeAll, expect, test } from 'bun:test'
import { removeOldVersions } from '../../../src/core/secrets/retention.ts'
import { api, type Client } from '../../support/api.ts'
import { app } from '../../support/apps.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { owner } from '../../support/people.ts'
import { seal, sealedSecret, secretsOf } from '../../support/secrets.ts'

const DAY_SECONDS = 24 * 3600

let ctx: TestContext
let client: Client
let secrets: ReturnType<typeof secretsOf>

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
