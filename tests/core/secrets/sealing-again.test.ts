import { afterAll, beforeAll, expect, test } from 'bun:test'
import { generateEnvironmentKeys } from '../../../src/core/keys/environment-keys.ts'
import { wrapForPublicKey } from '../../../src/core/keys/wrapping.ts'
import { loadFastestAead } from '../../../src/core/keys/xchacha20poly1305.ts'
import type { SealedOverride, SealedTexts } from '../../../src/core/secrets/rekey-queries.ts'
import { createResealer } from '../../../src/core/secrets/resealing.ts'
import { sealAgain } from '../../../src/core/secrets/sealing-again.ts'
import { api } from '../../support/api.ts'
import { app } from '../../support/apps.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { owner } from '../../support/people.ts'

let ctx: TestContext

beforeAll(async () => {
  ctx = await testContext()
})
afterAll(() => ctx.close())

const MIB = 1024 * 1024
const SECRETS = 12
const VERSIONS = 40

test('a few MiB are sealed again at once, whatever the versions and overrides of secrets hold', async () => {
  const ada = await owner(ctx)
  const shop = await app(ctx)
  const client = api(ctx).as(ada.token)
  const environmentId = shop.environments[0]?.id ?? ''
  await client.post(`/v1/secrets/?app_id=${shop.id}&env=development`, {
    secrets: Array.from({ length: SECRETS }, (_, index) => ({
      key: `K${index}`,
      value: 'v',
      override: { value: 'o' },
    })),
  })
  // As large as values may be once they are sealed.
  await ctx.db`update secrets set value = repeat('x', 87507)`
  await ctx.db`update secret_overrides set value = repeat('x', 87507)`
  await ctx.db`
    insert into secret_versions (secret_id, version, organisation_id, app_id, environment_id, event, path, key, key_digest,
      value, comment, tags, type, actor_type, actor_id, actor_name, created_at)
    select secret_id, n, organisation_id, app_id, environment_id, 'updated', path, key, key_digest, repeat('x', 87507),
      comment, tags, type, actor_type, actor_id, actor_name, created_at
    from secret_versions, generate_series(2, ${VERSIONS}) n where version = 1`

  const batches: number[] = []
  let rows = 0
  let went = 0
  const seen = <T extends SealedTexts | SealedOverride>(batch: readonly T[]): Promise<T[]> => {
    rows += batch.length
    batches.push(batch.reduce((sum, row) => sum + row.value.length, 0))
    return Promise.resolve([...batch])
  }
  const counting = { texts: seen, overrides: seen, forget: () => {}, [Symbol.dispose]: () => {} }
  const [organisation] = await ctx.db<{ id: string }[]>`select id from organisations`
  const count = await ctx.db.begin((tx) =>
    sealAgain(tx, organisation?.id ?? '', environmentId, counting, async () => {
      went++
    }),
  )
  expect(count).toBe(SECRETS)
  expect(rows).toBe(SECRETS + SECRETS + SECRETS * VERSIONS)
  expect(Math.max(...batches)).toBeLessThan(2.2 * MIB)
  // Few round trips, too, and a question before each.
  expect(batches.length).toBeLessThan(40)
  expect(went).toBeGreaterThan(batches.length)
})

test('equal texts stay equal and others differ, whenever they are sealed again', async () => {
  await loadFastestAead()
  const [before, after] = [generateEnvironmentKeys(), generateEnvironmentKeys()]
  const sealed = (text: string) => wrapForPublicKey(text, Buffer.from(before.publicKey, 'hex'))
  const [one, same] = [sealed('text'), sealed('text')]
  using resealer = createResealer(before, after)
  const again = async (value: string) => (await resealer.overrides([{ id: '', value }]))[0]?.value
  const first = await again(one)
  resealer.forget()
  expect(await again(one)).toBe(first as string)
  expect(await again(same)).not.toBe(first as string)
  using another = createResealer(before, after)
  expect((await another.overrides([{ id: '', value: one }]))[0]?.value).not.toBe(first as string)
})
