import { afterAll, beforeAll, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { countedAs, isActor, sharerOf } from '../../../src/core/actor.ts'
import { authenticate } from '../../../src/core/authentication/authenticate.ts'
import type { RoleKind } from '../../../src/core/permissions.ts'
import { pathOf } from '../../../src/platform/turn-queues.ts'
import { api } from '../../support/api.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { member, owner, type Person, roleOf, session, token, user } from '../../support/people.ts'

const source = { ipAddress: null, userAgent: null, requestId: 'x' }

let ctx: TestContext
let ada: Person
let service: ReturnType<typeof api>

beforeAll(async () => {
  ctx = await testContext()
  service = api(ctx)
  ada = await owner(ctx)
})
afterAll(() => ctx.close())

const callerOf = (bearer: string) => authenticate(ctx, `Bearer ${bearer}`, source)
const path = async (bearer: string) => pathOf(sharerOf(await callerOf(bearer)))

/** Somebody who has accepted an invite that was sent with a token. */
async function invitedWith(bearer: string, kind: RoleKind): Promise<Person> {
  const email = `${randomUUID()}@example.org`
  const sent = await service
    .as(bearer)
    .post('/v1/members/invites', { email, role_id: (await roleOf(ctx, kind)).id })
  const userId = await user(ctx, email)
  const accepted = await service
    .as(await session(ctx, userId))
    .post('/service/auth/invites/accept/', { token: sent.body.inviteUrl.split('#')[1] })
  const { id } = accepted.body.member
  return { id, userId, token: await token(ctx, id, 'pat') }
}

/** A service account's token that was made with another token. */
async function robotOf(bearer: string, kind: RoleKind = 'service'): Promise<{ id: string; token: string }> {
  const { body: account } = await service
    .as(bearer)
    .post('/v1/service-accounts', { name: randomUUID(), role_id: (await roleOf(ctx, kind)).id })
  const { body } = await service
    .as(bearer)
    .post(`/v1/service-accounts/${account.id}/tokens`, { name: 'deploy' })
  return { id: account.id, token: body.token }
}

test('whom a Manager invites has its share, and so has whom that one invites, and service accounts of theirs', async () => {
  const manager = await invitedWith(ada.token, 'manager')
  const guest = await invitedWith(manager.token, 'manager')
  const guestOfGuest = await invitedWith(guest.token, 'developer')
  const robot = await robotOf(guest.token)
  expect(await path(manager.token)).toEqual([manager.id, manager.id, manager.id])
  expect(await path(guest.token)).toEqual([manager.id, guest.id, guest.id])
  expect(await path(guestOfGuest.token)).toEqual([manager.id, guestOfGuest.id, guestOfGuest.id])
  expect(await path(robot.token)).toEqual([manager.id, guest.id, robot.id])
  expect(await path(await session(ctx, guest.userId))).toEqual([manager.id, guest.id, guest.id])
})

test('whom somebody with global access invites has a share of its own, also with a service account', async () => {
  const admin = await member(ctx, 'admin')
  const guest = await invitedWith(admin.token, 'developer')
  expect(await path(guest.token)).toEqual([guest.id, guest.id, guest.id])
  const robot = await robotOf(admin.token, 'manager')
  const guestOfRobot = await invitedWith(robot.token, 'developer')
  expect(await path(guestOfRobot.token)).toEqual([guestOfRobot.id, guestOfRobot.id, guestOfRobot.id])
})

test('whoever is given global access has a share of its own from then on', async () => {
  const manager = await invitedWith(ada.token, 'manager')
  const guest = await invitedWith(manager.token, 'manager')
  const robot = await robotOf(guest.token)
  const change = (role: RoleKind) =>
    roleOf(ctx, role).then(({ id }) => service.as(ada.token).put(`/v1/members/${guest.id}`, { role_id: id }))
  for (const role of ['developer', 'manager'] as const) {
    expect((await change(role)).status).toBe(200)
    expect(await path(guest.token)).toEqual([manager.id, guest.id, guest.id])
  }
  for (const role of ['admin', 'developer'] as const) {
    expect((await change(role)).status).toBe(200)
    expect(await path(guest.token)).toEqual([guest.id, guest.id, guest.id])
    expect(await path(robot.token)).toEqual([guest.id, robot.id, robot.id])
  }
})

test('limits over a long time count each member by itself', async () => {
  const manager = await invitedWith(ada.token, 'manager')
  const guest = await invitedWith(manager.token, 'developer')
  const caller = await callerOf(guest.token)
  expect(isActor(caller) && countedAs(caller)).toEqual([guest.id])
})
