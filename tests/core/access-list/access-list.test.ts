import { afterAll, beforeAll, expect, test } from 'bun:test'
import { list } from '../../../src/core/access-list/access-list.ts'
import { present } from '../../../src/core/access-list/access-pair.ts'
import type { Actor } from '../../../src/core/actor.ts'
import { appWith } from '../../support/apps.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { owner, ownerActor } from '../../support/people.ts'
import { countStatements } from '../../support/statements.ts'

let ctx: TestContext
let actor: Actor

beforeAll(async () => {
  ctx = await testContext()
  const ada = await owner(ctx)
  await appWith(ctx, 'Shop', ['one', 'two'])
  actor = ownerActor(ada)
})
afterAll(() => ctx.close())

test('is one statement, and none for a malformed id', async () => {
  expect(await countStatements(ctx, () => list(ctx, actor, {}, {}))).toBe(1)
  expect(await countStatements(ctx, () => list(ctx, actor, { appId: 'nonsense' }, {}))).toBe(0)
  expect((await list(ctx, actor, { appId: 'nonsense' }, {})).data).toEqual([])
})

test('an actor of another organisation gets an empty list', async () => {
  expect((await list(ctx, actor, {}, {})).data).toHaveLength(2)
  const stranger = { ...actor, organisation: { id: '4f9d5a52-6f0b-4a9e-8a3c-0d6f3b1c2e7a' } }
  expect((await list(ctx, stranger, {}, {})).data).toEqual([])
})

test.each([
  ['member', 'user'],
  ['service_account', 'service_account'],
] as const)('a %s is shown as a %s', (principal_type, type) => {
  const place = { app_id: 'a', app_name: 'Shop', environment_id: 'e', environment_name: 'one' } as const
  const role = { role_id: 'r', role_name: 'Service', via: 'grant' } as const
  expect(present({ principal_id: 'p', principal_type, principal_name: 'Robot', ...role, ...place })).toEqual({
    principal: { type, id: 'p', name: 'Robot', role: { id: 'r', name: 'Service' } },
    appId: 'a',
    appName: 'Shop',
    environmentId: 'e',
    environmentName: 'one',
    via: 'grant',
  })
})
