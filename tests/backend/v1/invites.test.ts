import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { api } from '../../support/api.ts'
import { entriesAbout, trailAsText } from '../../support/audit-entries.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { member, owner, type Person, roleOf, serviceAccount, user } from '../../support/people.ts'

const PATH = '/v1/members/invites'
let ctx: TestContext
let ada: Person
let service: ReturnType<typeof api>
let developer: string

beforeAll(async () => {
  ctx = await testContext()
  service = api(ctx)
  ada = await owner(ctx)
  developer = (await roleOf(ctx, 'developer')).id
})
afterAll(() => ctx.close())

const address = () => `${randomUUID()}@example.org`
const invite = async (email = address(), roleId = developer) =>
  service.as(ada.token).post(PATH, { email, role_id: roleId })
const emailOf = async (userId: string) =>
  (await ctx.db`select email from users where id = ${userId}`)[0]?.email as string
const roleWith = async (...actions: string[]) => {
  const body = { name: randomUUID(), permissions: { permissions: { Members: actions }, app_permissions: {} } }
  return { id: (await service.as(ada.token).post('/v1/roles', body)).body.id as string }
}

describe('POST /v1/members/invites', () => {
  test('invites an address, answers with the link and writes one audit entry without the address', async () => {
    const email = `Grace.${randomUUID()}@Example.org`
    const { status, body } = await service.as(ada.token).post(`${PATH}/`, { email, role_id: developer })
    expect(body).toEqual({
      id: expect.any(String),
      inviteeEmail: email,
      role: { id: developer, name: 'Developer' },
      invitedBy: { type: 'user', id: ada.id, name: 'Ada Example' },
      createdAt: '2026-01-01T00:00:00.000Z',
      expiresAt: '2026-01-15T00:00:00.000Z',
      inviteUrl: expect.stringMatching(/^http:\/\/localhost\/invite#[0-9a-f]{32}[A-Za-z0-9_-]{43}$/),
    })
    expect(status).toBe(201)
    expect([...(await entriesAbout(ctx, body.id))]).toEqual([
      {
        event_type: 'invite.created',
        resource_type: 'invite',
        actor_id: ada.id,
        resource_metadata: {},
        old_values: null,
        new_values: {
          role: { id: developer, name: 'Developer' },
          expiresAt: '2026-01-15T00:00:00.000Z',
        },
        description: 'Invite to the role "Developer" created.',
      },
    ])
    const trail = await trailAsText(ctx)
    expect(trail).not.toContain('@')
    expect(trail).not.toContain(body.inviteUrl.split('#')[1])
  })

  test('a service account may invite, and every caller with Members create may give any role without global access', async () => {
    const role = await roleWith('create', 'read')
    const robot = await serviceAccount(ctx, role)
    const byRobot = await service.as(robot.token).post(PATH, { email: address(), role_id: developer })
    expect(byRobot.body.invitedBy).toEqual({ type: 'service_account', id: robot.id, name: 'Robot' })
    const clerk = await member(ctx, role)
    const { id } = await roleOf(ctx, 'manager')
    expect((await service.as(clerk.token).post(PATH, { email: address(), role_id: id })).status).toBe(201)
  })

  test('answers 401, then 403, then 400 for the same bad body', async () => {
    const reader = await member(ctx, 'developer')
    expect((await service.anonymous.post(PATH, {})).status).toBe(401)
    expect(await service.as(reader.token).post(PATH, {})).toMatchObject({
      status: 403,
      body: { error: "You don't have permission to create members." },
    })
    expect((await service.as(ada.token).post(PATH, {})).status).toBe(400)
  })

  test.each([
    [{ role_id: 'x' }, 'email is required.'],
    [{ email: 'a@example.org' }, 'role_id is required.'],
    [{ email: 'nobody', role_id: 'x' }, 'email must be an e-mail address of at most 254 ASCII characters.'],
    [
      { email: 'é@example.org', role_id: 'x' },
      'email must be an e-mail address of at most 254 ASCII characters.',
    ],
    [{ email: 5, role_id: 'x' }, 'email must be a string.'],
    [{ email: 'a@example.org', role_id: 5 }, 'role_id must be a string.'],
    [{ email: 'a@example.org', role_id: 'x', role: 'y' }, 'Unknown field "role".'],
  ])('refuses %j', async (input, error) => {
    expect(await service.as(ada.token).post(PATH, input)).toMatchObject({ status: 400, body: { error } })
  })

  test('is 404 for an unknown role, before it looks whether the address is taken', async () => {
    const email = await emailOf(ada.userId)
    expect((await invite(email, randomUUID())).status).toBe(404)
    expect((await invite(email, 'x')).status).toBe(404)
  })

  test.each(['owner', 'admin'] as const)('is 400 for the %s role', async (kind) => {
    const { id } = await roleOf(ctx, kind)
    const { status, body } = await invite(await emailOf(ada.userId), id)
    expect(body.error).toBe(
      'Nobody can be invited to a role with global access. Invite to another role, and change it afterwards.',
    )
    expect(status).toBe(400)
  })

  test('is 409 for the address of a member in any case, and not for a user without a membership', async () => {
    const grace = await member(ctx, 'developer')
    const email = await emailOf(grace.userId)
    expect(await invite(email.toUpperCase())).toMatchObject({
      status: 409,
      body: { error: 'A member with this e-mail address already exists.' },
    })
    await service.as(ada.token).delete(`/v1/members/${grace.id}`)
    expect((await invite(email)).status).toBe(201)
    const outside = address()
    await user(ctx, outside)
    expect((await invite(outside)).status).toBe(201)
  })

  test('is 409 while a pending invite has the address, in any case, and not once it has expired', async () => {
    const email = address()
    const first = await invite(email)
    expect(await invite(email.toUpperCase())).toMatchObject({
      status: 409,
      body: { error: 'A pending invite for this e-mail address already exists.' },
    })
    ctx.clock.advance(14 * 24 * 3600 - 1)
    expect((await invite(email)).status).toBe(409)
    ctx.clock.advance(1)
    const second = await invite(email)
    expect(second.status).toBe(201)
    expect(second.body.inviteUrl).not.toBe(first.body.inviteUrl)
  })

  test('of two concurrent requests for one address, one is 201, the other 409', async () => {
    const email = address()
    const other = api(ctx)
    const body = { email, role_id: developer }
    const answers = await Promise.all([
      service.as(ada.token).post(PATH, body),
      other.as(ada.token).post(PATH, body),
    ])
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409])
  })

  test('of an invite and the concurrent deletion of its role, exactly one succeeds', async () => {
    for (let round = 0; round < 8; round++) {
      const role = await roleWith('read')
      const [made, deleted] = await Promise.all([
        invite(address(), role.id),
        api(ctx).as(ada.token).delete(`/v1/roles/${role.id}`),
      ])
      expect([
        [201, 409],
        [404, 204],
      ]).toContainEqual([made.status, deleted.status])
    }
  })
})

describe('GET /v1/members/invites', () => {
  test('lists only pending invites, oldest first, each with its link', async () => {
    ctx.clock.advance(30 * 24 * 3600)
    const first = await invite()
    ctx.clock.advance(1)
    const second = await invite()
    const cancelled = await invite()
    await service.as(ada.token).delete(`${PATH}/${cancelled.body.id}`)
    const { status, body } = await service.as(ada.token).get(PATH)
    expect(body).toEqual({ data: [first.body, second.body] })
    expect(status).toBe(200)
  })

  test('is paged when asked', async () => {
    const whole = (await service.as(ada.token).get(PATH)).body.data
    const one = await service.as(ada.token).get(`${PATH}?limit=1`)
    expect(one.body).toEqual({ data: [whole[0]], nextCursor: expect.any(String), total: 2 })
    const rest = await service.as(ada.token).get(`${PATH}?limit=1&cursor=${one.body.nextCursor}`)
    expect(rest.body).toEqual({ data: [whole[1]], nextCursor: null, total: 2 })
    expect((await service.as(ada.token).get(`${PATH}?limit=0`)).status).toBe(400)
  })

  test('shows no sender once the sender is removed', async () => {
    const made = await invite()
    await ctx.db`update invites set invited_by = null where id = ${made.body.id}`
    const { data } = (await service.as(ada.token).get(PATH)).body
    expect(data).toContainEqual({ ...made.body, invitedBy: null })
  })

  test('is 401 without credentials and 403 without Members read', async () => {
    const clerk = await member(ctx, await roleWith('create'))
    expect((await service.anonymous.get(PATH)).status).toBe(401)
    expect((await service.as(clerk.token).get(PATH)).status).toBe(403)
  })
})

describe('DELETE /v1/members/invites/:id', () => {
  test('cancels an invite once, keeps nothing of it, and frees its address and its role', async () => {
    const role = await roleWith('read')
    const email = address()
    const { body } = await invite(email, role.id)
    expect((await service.as(ada.token).delete(`/v1/roles/${role.id}`)).status).toBe(409)
    const done = await service.as(ada.token).delete(`${PATH}/${body.id}`)
    expect(done).toMatchObject({ status: 204, body: '' })
    expect(await service.as(ada.token).delete(`${PATH}/${body.id}`)).toMatchObject({
      status: 404,
      body: { error: 'Invite not found.' },
    })
    expect(await ctx.db`select 1 from invites where id = ${body.id}`).toHaveLength(0)
    expect((await entriesAbout(ctx, body.id)).map((entry) => entry.event_type).sort()).toEqual([
      'invite.cancelled',
      'invite.created',
    ])
    expect((await service.as(ada.token).delete(`/v1/roles/${role.id}`)).status).toBe(204)
    expect((await invite(email)).status).toBe(201)
  })

  test('is 401, 403 and 404 in that order', async () => {
    const { body } = await invite()
    const reader = await member(ctx, 'developer')
    expect((await service.anonymous.delete(`${PATH}/${body.id}`)).status).toBe(401)
    expect((await service.as(reader.token).delete(`${PATH}/${body.id}`)).status).toBe(403)
    expect((await service.as(ada.token).delete(`${PATH}/${randomUUID()}`)).status).toBe(404)
    expect((await service.as(ada.token).delete(`${PATH}/x`)).status).toBe(404)
  })

  test('is 404 for an invite that has expired', async () => {
    const { body } = await invite()
    ctx.clock.advance(14 * 24 * 3600)
    expect((await service.as(ada.token).delete(`${PATH}/${body.id}`)).status).toBe(404)
  })

  test('removing the sender cancels its invites, with an entry for each that had not expired', async () => {
    const clerk = await member(ctx, 'manager')
    const sent = await service.as(clerk.token).post(PATH, { email: address(), role_id: developer })
    const expired = await service.as(clerk.token).post(PATH, { email: address(), role_id: developer })
    await ctx.db`update invites set expires_at = ${ctx.clock.now()} where id = ${expired.body.id}`
    expect((await service.as(ada.token).delete(`/v1/members/${clerk.id}`)).status).toBe(204)
    const { data } = (await service.as(ada.token).get(PATH)).body
    expect(data.map(({ id }: { id: string }) => id)).not.toContain(sent.body.id)
    const cancellations = async (id: string) =>
      (await entriesAbout(ctx, id)).filter(({ event_type }) => event_type === 'invite.cancelled')
    expect(await cancellations(sent.body.id)).toMatchObject([
      { actor_id: ada.id, old_values: { role: { id: developer, name: 'Developer' } } },
    ])
    expect(await cancellations(expired.body.id)).toEqual([])
  })
})
