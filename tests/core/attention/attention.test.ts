import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Actor } from '../../../src/core/actor.ts'
import { get, SIZE } from '../../../src/core/attention/attention.ts'
import { permissionsOf, type RoleKind } from '../../../src/core/permissions.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { manyMembers, member, owner, type Person } from '../../support/people.ts'
import { countStatements } from '../../support/statements.ts'

let ctx: TestContext
let ada: Person & { organisationId: string }

beforeAll(async () => {
  ctx = await testContext()
  ada = await owner(ctx)
})
afterAll(() => ctx.close())

const actor = (
  person: { id: string; userId: string | null },
  kind: RoleKind,
  organisationId = ada.organisationId,
): Actor => ({
  type: person.userId === null ? 'service_account' : 'user',
  id: person.id,
  responsibleId: person.id,
  branchId: person.id,
  userId: person.userId,
  name: 'Ada',
  email: null,
  organisation: { id: organisationId },
  role: { id: 'r', kind, name: kind, permissions: permissionsOf(kind, null) },
  credential: { kind: 'token', id: 't', text: '' },
  source: { ipAddress: null, userAgent: null, requestId: 'x' },
})

test('asks the database a few times, however much there is', async () => {
  const asOwner = () => get(ctx, actor(ada, 'owner'))
  expect(await countStatements(ctx, asOwner)).toBe(6)
  // Where there are more than are shown, they are counted.
  for (const _ of [1, 2]) {
    await manyMembers(ctx, 30)
    expect(await countStatements(ctx, asOwner)).toBe(7)
  }
  const robot = { id: ada.id, userId: null }
  expect(await countStatements(ctx, () => get(ctx, actor(robot, 'service')))).toBe(5)
})

test('shows the first of each kind, and counts further', async () => {
  const { membersWithoutAccess } = await get(ctx, actor(ada, 'owner'))
  expect(membersWithoutAccess?.data).toHaveLength(SIZE.shown)
  expect(membersWithoutAccess?.total).toBe(60)
})

test('shows an actor of another organisation nothing of this one', async () => {
  const stranger = await member(ctx, 'developer')
  const theirs = await get(ctx, actor(stranger, 'owner', '4f9d5a52-6f0b-4a9e-8a3c-0d6f3b1c2e7a'))
  const nothing = { total: 0, data: [] }
  expect(theirs).toEqual({
    pendingInvites: nothing,
    expiringTokens: nothing,
    expiringSecrets: nothing,
    membersWithoutAccess: nothing,
    recentDenials: nothing,
  })
})
