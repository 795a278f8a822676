import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { refusalEvent } from '../../../src/backend/http/refusals.ts'
import { openDatabase } from '../../../src/platform/postgres/database.ts'
import { api } from '../../support/api.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { recordedLog } from '../../support/log-recorder.ts'
import { member, owner, type Person, session, user } from '../../support/people.ts'

let ctx: TestContext
let service: ReturnType<typeof api>
let ada: Person & { organisationId: string }
let developer: Person

beforeAll(async () => {
  ctx = await testContext()
  service = api(ctx)
  ada = await owner(ctx)
  developer = await member(ctx, 'developer')
})
afterAll(() => ctx.close())
afterEach(async () => {
  await ctx.db`delete from audit_entries`
})

const refusals = async (of = ctx) => [
  ...(await of.db`
    select event_type, resource_type, resource_id, app_id, environment_id, actor_id, description, count
    from audit_entries where event_type like '%\\_refused' order by timestamp, event_type`),
]

describe('a refusal becomes an audit entry', () => {
  test('with its target, its sentence and its caller', async () => {
    const { status, body } = await service.as(developer.token).delete(`/v1/members/${ada.id.toUpperCase()}/`)
    expect(status).toBe(403)
    expect(await refusals()).toEqual([
      {
        event_type: 'member.delete_refused',
        resource_type: 'member',
        resource_id: ada.id,
        app_id: null,
        environment_id: null,
        actor_id: developer.id,
        description: body.error,
        count: 1,
      },
    ])
  })

  test('also for a rule about the target, under an alias, and without a target', async () => {
    await service.as(ada.token).delete(`/service/public/v1/members/${ada.id}`)
    await service.as(developer.token).post('/v1/roles', { name: 'x' })
    await service.as(developer.token).put('/v1/roles/nonsense', {})
    expect(await refusals()).toMatchObject([
      {
        event_type: 'member.delete_refused',
        resource_id: ada.id,
        actor_id: ada.id,
        description: 'The Owner cannot be removed from the organisation.',
      },
      { event_type: 'role.create_refused', resource_type: 'role', resource_id: null },
      { event_type: 'role.update_refused', resource_type: 'role', resource_id: null },
    ])
  })

  test('with the organisation’s id, which its path does not name', async () => {
    await service.as(developer.token).put('/v1/organisation', { name: 'x' })
    expect(await refusals()).toMatchObject([
      { event_type: 'organisation.update_refused', resource_id: ada.organisationId },
    ])
  })

  test('of somebody signed in without a membership, under the user and the deployment’s organisation', async () => {
    const userId = await user(ctx)
    const { status } = await service.as(await session(ctx, userId)).get('/v1/members')
    expect(status).toBe(403)
    expect(await refusals()).toMatchObject([
      {
        event_type: 'member.read_refused',
        actor_id: userId,
        description: 'You are not a member of an organisation.',
      },
    ])
    expect((await service.as(ada.token).get(`/v1/logs/audit?actor_id=${userId}`)).body.data).toHaveLength(1)
  })

  test('once a minute for the same caller, event, target and address, with a count', async () => {
    const again = () => service.as(developer.token).delete(`/v1/members/${ada.id}`)
    await again()
    await again()
    await service.as(developer.token).put(`/v1/members/${ada.id}`, {})
    await service.as(developer.token).delete(`/v1/members/${developer.id}`)
    await api(ctx, '192.0.2.1').as(developer.token).delete(`/v1/members/${ada.id}`)
    ctx.clock.advance(60)
    await again()
    const counted = (await refusals()).map(({ event_type, count }) => [event_type, count])
    expect(counted.sort()).toEqual([
      ['member.delete_refused', 1],
      ['member.delete_refused', 1],
      ['member.delete_refused', 1],
      ['member.delete_refused', 2],
      ['member.update_refused', 1],
    ])
  })

  test('a change of access and one of the role apart, also in the same minute', async () => {
    await service.as(developer.token).put(`/v1/members/${ada.id}`, {})
    await service.as(developer.token).put(`/v1/members/${ada.id}/access`, {})
    expect(await refusals()).toMatchObject([
      { event_type: 'member.access_change_refused', resource_id: ada.id, count: 1 },
      { event_type: 'member.update_refused', resource_id: ada.id, count: 1 },
    ])
  })

  test('and many at once on two backends are still one, every one counted', async () => {
    const backends = [service, api(ctx)]
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        backends[index % 2]?.as(developer.token).delete(`/v1/members/${ada.id}`),
      ),
    )
    expect(answers.every((answer) => answer?.status === 403)).toBe(true)
    expect(await refusals()).toMatchObject([{ event_type: 'member.delete_refused', count: 40 }])
  })

  test('and of many different ones at once, on replicas with connections of their own, no more than 20', async () => {
    const pool = openDatabase(ctx.database.config)
    const replicas = [service, api({ ...ctx, db: pool }), api({ ...ctx, db: pool }, '192.0.2.9')]
    try {
      await Promise.all(
        Array.from({ length: 90 }, (_, index) =>
          replicas[index % 3]?.as(developer.token).delete(`/v1/members/${randomUUID()}`),
        ),
      )
    } finally {
      await pool.end()
    }
    const entries = await refusals()
    expect(entries.reduce((sum, { count }) => sum + count, 0)).toBe(90)
    expect(entries.filter(({ resource_id }) => resource_id !== null)).toHaveLength(20)
    expect(entries.filter(({ resource_id }) => resource_id === null)).toMatchObject([
      { count: 70, description: 'Many requests were refused within a minute.' },
    ])
  })

  test('and no other answer does', async () => {
    await service.anonymous.get('/v1/roles')
    await service.as(ada.token).get(`/v1/roles/${randomUUID()}`)
    await service.as(ada.token).post('/v1/roles', {})
    await service.as(ada.token).get('/v1/nothing')
    expect(await refusals()).toEqual([])
  })
})

describe('when the entry cannot be written', () => {
  test('the answer stands and the log says so, without the caller’s data', async () => {
    const other = await testContext()
    try {
      const { log, lines } = recordedLog()
      await owner(other)
      const { token } = await member(other, 'developer')
      await other.db`alter table audit_entries rename to gone`
      const { status, body } = await api({ ...other, log })
        .as(token)
        .get('/v1/service-accounts')
      expect(body).toEqual({ error: "You don't have permission to read service accounts." })
      expect(status).toBe(403)
      expect(lines.map((line) => JSON.parse(line))).toMatchObject([
        {
          level: 50,
          msg: 'a refusal was not recorded',
          eventType: 'service_account.read_refused',
          code: '42P01',
        },
      ])
    } finally {
      await other.close()
    }
  })
})

describe('a request without valid credentials', () => {
  test('is a number and a line in the log', async () => {
    const { log, lines } = recordedLog()
    const { anonymous } = api({ ...ctx, log })
    const before = unauthenticated()
    await anonymous.get('/v1/roles')
    expect(unauthenticated()).toBe(before + 1)
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { level: 30, route: '/v1/roles', ipAddress: '127.0.0.1', requestId: expect.any(String) },
    ])
  })
  const unauthenticated = () => Number(/^keyward_unauthenticated_total (\d+)$/m.exec(ctx.metrics.text())?.[1])
})

describe('the event of a refusal', () => {
  const id = '0b0e7c5e-3b0a-4d6e-9d2a-6f8a3a1c2d4e'
  const other = '7d9f1a52-8c1b-4f6e-8a3d-2b1c0d9e8f7a'
  test.each<[string, string, string, string, string | null]>([
    ['GET', '/v1/roles/', 'role.read_refused', 'role', null],
    ['HEAD', '/v1/roles/:id', 'role.read_refused', 'role', id],
    ['PUT', '/v1/members/:id', 'member.update_refused', 'member', id],
    ['PUT', '/v1/members/:id/access', 'member.access_change_refused', 'member', id],
    ['GET', '/v1/members/:id/access', 'member.access_read_refused', 'member', id],
    ['PUT', '/v1/service-accounts/:id', 'service_account.update_refused', 'service_account', id],
    [
      'PUT',
      '/v1/service-accounts/:id/access/',
      'service_account.access_change_refused',
      'service_account',
      id,
    ],
    ['POST', '/v1/members/invites', 'invite.create_refused', 'invite', null],
    ['DELETE', '/v1/members/invites/:id', 'invite.delete_refused', 'invite', id],
    ['POST', '/v1/service-accounts/', 'service_account.create_refused', 'service_account', null],
    ['POST', '/v1/service-accounts/:id/tokens', 'token.create_refused', 'service_account', id],
    ['DELETE', '/v1/service-accounts/:id/tokens/:token_id', 'token.delete_refused', 'token', other],
    ['POST', '/v1/tokens/', 'token.create_refused', 'token', null],
    ['GET', '/v1/logs/audit', 'audit_log.read_refused', 'audit_log', null],
    ['PUT', '/v1/organisation/', 'organisation.update_refused', 'organisation', null],
    ['GET', '/v1/access/', 'access.read_refused', 'access', null],
    ['GET', '/v1/me/keys', 'key.read_refused', 'key', null],
    ['DELETE', '/v1/apps/:id', 'app.delete_refused', 'app', id],
    ['DELETE', '/v1/environments/:id', 'environment.delete_refused', 'environment', id],
    ['POST', '/service/auth/ownership/transfer', 'organisation.update_refused', 'organisation', null],
    ['POST', '/service/auth/password/change', 'user.update_refused', 'user', null],
    ['POST', '/service/auth/invites/accept', 'invite.accept_refused', 'invite', null],
  ])('%s %s is %s', (method, route, eventType, resourceType, resourceId) => {
    const event = refusalEvent({ method, route, params: { id, token_id: other }, query: {} }, 'No.')
    expect(event).toEqual({
      eventType,
      resourceType,
      resourceId,
      description: 'No.',
      appId: resourceType === 'app' ? id : null,
      environmentId: resourceType === 'environment' ? id : null,
    })
  })

  test('belongs to the app that the query names for its environments', () => {
    const list = { method: 'POST', route: '/v1/environments', params: {} }
    expect(refusalEvent({ ...list, query: { app_id: id.toUpperCase() } }, 'No.').appId).toBe(id)
    expect(refusalEvent({ ...list, query: { app_id: 'nonsense' } }, 'No.').appId).toBeNull()
  })

  test('keeps nothing from the path that has not the form of an id', () => {
    const asked = { method: 'DELETE', route: '/v1/roles/:id', params: { id: 'ada@example.org' }, query: {} }
    expect(refusalEvent(asked, 'No.').resourceId).toBeNull()
  })
})
