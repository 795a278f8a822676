import { afterAll, beforeAll, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { wrapForServer } from '../../../src/core/environments/key-copies.ts'
import { generateEnvironmentKeys } from '../../../src/core/keys/environment-keys.ts'
import { opened, openSecrets } from '../../../src/core/plain-secrets/opening.ts'
import { sealNew } from '../../../src/core/plain-secrets/sealing.ts'
import type { SecretRow } from '../../../src/core/secrets/secret.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { countTurns, stoppedClock } from '../../support/event-loop.ts'
import { clientEnvironmentPair, clientUnwrap, clientWrap } from '../keys/published-format.ts'

let ctx: TestContext
beforeAll(async () => {
  ctx = await testContext()
})
afterAll(() => ctx.close())

function environment() {
  const id = randomUUID()
  const { publicKey, ...keys } = generateEnvironmentKeys()
  const row = {
    ...{
      id,
      app_id: randomUUID(),
      name: 'Production',
      app_name: 'Shop',
      sse_enabled: true,
      public_key: publicKey,
    },
    ...wrapForServer(ctx, id, keys),
  }
  return { row, pair: clientEnvironmentPair(keys.seed) }
}

const rowOf = (key: string, value: string, comment: string): SecretRow => ({
  ...{
    id: randomUUID(),
    environment_id: randomUUID(),
    path: '/',
    key,
    key_digest: '',
    value,
    comment,
    tags: [],
  },
  ...{
    type: 'secret',
    version: 1,
    expires_at: null,
    created_at: new Date(),
    updated_at: new Date(),
    override: null,
  },
})

test('500 secrets that the server sealed open with one key agreement, and with libsodium', async () => {
  const { row, pair } = environment()
  using sealing = opened(ctx, row)
  const secrets = Array.from({ length: 500 }, (_, index) => ({
    key: `K${index}`,
    value: `v${index}`,
    comment: 'c',
  }))
  const sealed = await sealNew(sealing, secrets)
  expect(new Set(sealed.flatMap(({ key, value }) => [key.slice(0, 70), value.slice(0, 70)])).size).toBe(1)
  using opening = opened(ctx, row)
  const plain = await openSecrets(
    opening,
    sealed.map(({ key, value, comment }) => rowOf(key, value, comment)),
  )
  expect(plain.map(({ key, value, comment }) => ({ key, value, comment }))).toEqual(secrets)
  expect(opening.agreements()).toBe(1)
  for (const { key, value, comment } of sealed.slice(0, 20)) {
    expect([key, value, comment].map((text) => clientUnwrap(text, pair))).toEqual(
      Object.values(secrets[sealed.findIndex((one) => one.key === key)] ?? {}),
    )
  }
})

test('secrets that libsodium sealed open, each text with an ephemeral key of its own', async () => {
  const { row, pair } = environment()
  const seal = (text: string) => clientWrap(text, pair.publicKey)
  using opening = opened(ctx, row)
  const [plain] = await openSecrets(opening, [rowOf(seal('é🔐'), seal(''), '')])
  expect(plain).toMatchObject({ key: 'é🔐', value: '', comment: '' })
  expect(opening.agreements()).toBe(2)
})

/** An environment, opened, with so many secrets. */
async function withSecrets(count: number) {
  const { row } = environment()
  using sealing = opened(ctx, row)
  const secrets = Array.from({ length: count }, (_, index) => ({ key: `K${index}`, value: 'v' }))
  const sealed = await sealNew(sealing, secrets)
  return { opening: opened(ctx, row), rows: sealed.map(({ key, value }) => rowOf(key, value, '')) }
}

test('others get a turn after 500 texts at the latest', async () => {
  const { opening, rows } = await withSecrets(400)
  using _opening = opening
  using _clock = stoppedClock()
  using counter = countTurns()
  await openSecrets(opening, rows)
  expect(counter.turns).toBe(1)
})

test('opening ends once nobody waits for what is opened', async () => {
  const { opening, rows } = await withSecrets(400)
  using _opening = opening
  let asked = 0
  const requireWaiting = () => {
    if (++asked > 100) throw new Error('nobody waits')
  }
  await expect(openSecrets(opening, rows, requireWaiting)).rejects.toThrow('nobody waits')
  expect(asked).toBe(101)
})
