import { afterAll, beforeAll, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { addKeyCopies, wrapForServer } from '../../../src/core/environments/key-copies.ts'
import { generateIdentityKeys } from '../../../src/core/keys/identity-keys.ts'
import { privateKeyField } from '../../../src/core/principals/principals.ts'
import { appWith, type TestEnvironment } from '../../support/apps.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { countTurns } from '../../support/event-loop.ts'
import { member, owner } from '../../support/people.ts'
import { statementsOf } from '../../support/statements.ts'
import { clientIdentity, clientUnwrap } from '../keys/published-format.ts'

let ctx: TestContext
let organisationId: string

beforeAll(async () => {
  ctx = await testContext()
  organisationId = (await owner(ctx)).organisationId
})
afterAll(() => ctx.close())

type Principal = { id: string; identity_key: string; wrapped_private_key: string }

async function principals(count: number): Promise<Principal[]> {
  const ids = []
  for (let n = 0; n < count; n++) ids.push((await member(ctx, 'developer')).id)
  return ctx.db`select id, identity_key, wrapped_private_key from principals where id = any(${ids}::uuid[])`
}

const add = (holders: readonly Principal[], environments: readonly TestEnvironment[]) =>
  ctx.db.begin((tx) =>
    addKeyCopies(
      ctx,
      tx,
      organisationId,
      holders,
      environments.map(({ id, appId, ...secrets }) => ({
        id,
        app_id: appId,
        ...wrapForServer(ctx, id, secrets),
      })),
    ),
  )

const copiesOf = (holder: Principal) =>
  ctx.db<{ environment_id: string; wrapped_seed: string; wrapped_salt: string }[]>`
    select environment_id, wrapped_seed, wrapped_salt from environment_keys where principal_id = ${holder.id}`

const environmentsOf = async (count: number) =>
  (
    await appWith(
      ctx,
      randomUUID(),
      Array.from({ length: count }, (_, n) => `e${n}`),
    )
  ).environments

test('each principal’s copies open with its own key alone, in a client made with libsodium', async () => {
  const [holders, environments] = [await principals(3), await environmentsOf(4)]
  await add(holders, environments)
  const identities = holders.map(({ id, wrapped_private_key }) =>
    clientIdentity(ctx.keys.unwrap('identity-key', wrapped_private_key, privateKeyField(id))),
  )
  for (const [n, holder] of holders.entries()) {
    const copies = await copiesOf(holder)
    expect(copies).toHaveLength(environments.length)
    for (const { environment_id, wrapped_seed, wrapped_salt } of copies) {
      const secrets = environments.find(({ id }) => id === environment_id)
      for (const [m, { x25519 }] of identities.entries()) {
        const open = () => [clientUnwrap(wrapped_seed, x25519), clientUnwrap(wrapped_salt, x25519)]
        if (m === n) expect(open()).toEqual([secrets?.seed ?? '', secrets?.salt ?? ''])
        else expect(open).toThrow()
      }
    }
  }
})

test('a change agrees on one key with each principal, and no nonce is used twice', async () => {
  const [holders, environments] = [await principals(3), await environmentsOf(20)]
  await add(holders, environments.slice(0, 10))
  await add(holders, environments.slice(10))
  const first = new Set(environments.slice(0, 10).map(({ id }) => id))
  const ephemeral = new Set<string>()
  const nonces = new Set<string>()
  for (const holder of holders) {
    const texts = (await copiesOf(holder)).flatMap(({ environment_id, wrapped_seed, wrapped_salt }) =>
      [wrapped_seed, wrapped_salt].map((text) => ({ change: first.has(environment_id), text })),
    )
    for (const change of [true, false]) {
      const keys = new Set(texts.filter((of) => of.change === change).map(({ text }) => text.split(':')[2]))
      expect(keys.size).toBe(1)
      ephemeral.add([...keys].join())
    }
    for (const { text } of texts) {
      nonces.add(
        Buffer.from(text.split(':')[3] ?? '', 'base64')
          .subarray(-24)
          .toString('hex'),
      )
    }
  }
  expect(ephemeral.size).toBe(3 * 2)
  expect(nonces.size).toBe(3 * 20 * 2)
})

test('one identity key that is none stops the change: nobody gets a copy', async () => {
  const [holders, environments] = [await principals(2), await environmentsOf(2)]
  for (const identity_key of [`01${'00'.repeat(31)}`, 'ff'.repeat(32), '']) {
    const [one, other] = holders as [Principal, Principal]
    await expect(add([one, { ...other, identity_key }], environments)).rejects.toThrow(
      'An identity public key must be',
    )
    expect(await copiesOf(one)).toHaveLength(0)
  }
})

test('an identity key that was replaced in the database is the one that copies are wrapped for', async () => {
  const [holder] = (await principals(1)) as [Principal]
  const [before, after] = [await environmentsOf(1), await environmentsOf(1)]
  await add([holder], before)
  const { publicKey, privateKey } = generateIdentityKeys()
  await add([{ ...holder, identity_key: publicKey }], after)
  const copies = await copiesOf(holder)
  const seedOf = ([environment]: TestEnvironment[]) =>
    copies.find(({ environment_id }) => environment_id === environment?.id)?.wrapped_seed ?? ''
  const { x25519 } = clientIdentity(privateKey)
  expect(clientUnwrap(seedOf(after), x25519)).toBe(after[0]?.seed ?? '')
  expect(() => clientUnwrap(seedOf(before), x25519)).toThrow()
})

test('others get their turn while many copies are wrapped', async () => {
  const [holders, environments] = [await principals(1), await environmentsOf(3000)]
  await ctx.db.begin(async (tx) => {
    const adding = addKeyCopies(
      ctx,
      tx,
      organisationId,
      holders,
      environments.map(({ id, appId, ...secrets }) => ({
        id,
        app_id: appId,
        ...wrapForServer(ctx, id, secrets),
      })),
    )
    // Until the statement is sent: while that runs, turns cost nothing.
    const { debug } = ctx.db.options
    using loop = countTurns()
    ctx.db.options.debug = () => loop[Symbol.dispose]()
    await adding
    ctx.db.options.debug = debug
    expect(loop.turns).toBeGreaterThan(2)
  })
})

test('it is one statement for any number of copies, and none without any', async () => {
  const [holders, environments] = [await principals(2), await environmentsOf(3)]
  const statements = async (some: readonly Principal[], of: readonly TestEnvironment[]) =>
    (await statementsOf(ctx, () => add(some, of))).length
  const beginAndCommit = 2
  expect(await statements(holders.slice(0, 1), environments.slice(0, 1))).toBe(beginAndCommit + 1)
  expect(await statements(holders, environments.slice(1))).toBe(beginAndCommit + 1)
  expect(await statements([], environments)).toBe(beginAndCommit)
  expect(await statements(holders, [])).toBe(beginAndCommit)
})
