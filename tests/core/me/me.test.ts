import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Actor, Caller } from '../../../src/core/actor.ts'
import type { Room } from '../../../src/core/large-reads.ts'
import { get, keys } from '../../../src/core/me/me.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { owner, ownerActor, user } from '../../support/people.ts'

let ctx: TestContext
let ada: Awaited<ReturnType<typeof owner>>
let actor: Actor

beforeAll(async () => {
  ctx = await testContext()
  ada = await owner(ctx)
  actor = ownerActor(ada)
})
afterAll(() => ctx.close())

test('a member is shown by its membership, with its current role and organisation', async () => {
  const me = await get(ctx, actor)
  expect(me).toMatchObject({ type: 'user', id: ada.id, userId: ada.userId, role: { name: 'Owner' } })
  expect(me.organisation).toEqual({ id: ada.organisationId, name: 'My organisation', plan: 'enterprise' })
})

test('a user without a membership is shown by its user id, without role and organisation', async () => {
  const userId = await user(ctx)
  const stranger = { ...actor, id: null, userId, organisation: null, role: null } as unknown as Caller
  expect(await get(ctx, stranger)).toMatchObject({ id: userId, userId, role: null, organisation: null })
})

const room: Room = { read: (read) => read(), requireWaiting: () => {} }

test('a caller that was removed after its token was checked gets 401', async () => {
  const gone: Actor = { ...actor, id: '4f9d5a52-6f0b-4a9e-8a3c-0d6f3b1c2e7a' }
  await expect(get(ctx, gone)).rejects.toMatchObject({ status: 401 })
  await expect(keys(ctx, gone, room)).rejects.toMatchObject({ status: 401 })
})

test('a caller without key copies still gets its identity key', async () => {
  const mine = await keys(ctx, actor, room)
  expect(mine).toMatchObject({ identityKey: expect.stringMatching(/^[0-9a-f]{64}$/), environments: [] })
  expect(mine.wrappedPrivateKey).toStartWith('kt:v1:')
})
