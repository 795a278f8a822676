import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { type DeclaredRefusal, refusalOf } from '../../../src/backend/http/refusals.ts'
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

  test('with the app whose environments are listed or get another one', async () => {
    const { id: role_id } = (
      await service
        .as(ada.token)
        .post('/v1/roles', { name: 'Nobody', permissions: { permissions: {}, app_permissions: {} } })
    ).body
    await service.as(ada.token).put(`/v1/members/${developer.id}`, { role_id })
    const appId = randomUUID()
    await service.as(developer.token).get(`/v1/environments?app_id=${appId.toUpperCase()}`)
    await service.as(developer.token).post(`/v1/environments?app_id=${appId}`, { name: 'x' })
    const app = { resource_type: 'app', resource_id: appId, app_id: appId, environment_id: null }
    expect(await refusals()).toMatchObject([
      { event_type: 'environment.create_refused', ...app },
      { event_type: 'environment.read_refused', ...app },
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

  test('and of somebody without a membership no more than 20 in an hour, whatever the target and the address', async () => {
    const userId = await user(ctx)
    const start = Math.ceil(ctx.clock.now().getTime() / 3_600_000) * 3_600_000
    ctx.clock.advance((start - ctx.clock.now().getTime()) / 1000)
    const token = await session(ctx, userId)
    for (let minute = 0; minute < 5; minute++) {
      for (let n = 0; n < 6; n++) {
        const stranger = api(ctx, `192.0.2.${10 * minute + n}`).as(token)
        expect((await stranger.delete(`/v1/members/${randomUUID()}`)).status).toBe(403)
      }
      ctx.clock.advance(60)
    }
    const entries = await refusals()
    expect(entries.filter(({ resource_id }) => resource_id !== null)).toHaveLength(20)
    expect(entries.filter(({ resource_id }) => resource_id === null)).toMatchObject([
      { actor_id: userId, count: 10, description: 'Many requests were refused within an hour.' },
    ])
    ctx.clock.advance(3600)
    await service.as(await session(ctx, userId)).delete(`/v1/members/${ada.id}`)
    expect((await refusals()).at(-1)).toMatchObject({ actor_id: userId, resource_id: ada.id, count: 1 })
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
          msg: 'The audit entry of a refusal could not be written',
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

  test.each<[DeclaredRefusal['target'], Record<string, string>, string | null]>([
    ['role', {}, null],
    ['role', { id }, id],
    ['role', { id: id.toUpperCase() }, id],
    ['app', { id }, id],
    ['environment', { id }, id],
    ['service_account', { id }, id],
    ['token', { id, token_id: other }, other],
  ])('about a resource %s with %j in the path names %p', (target, params, resourceId) => {
    const refusal = refusalOf({ eventType: 'token.delete_refused', target }, { params, query: {} }, 'No.')
    expect(refusal).toEqual({
      eventType: 'token.delete_refused',
      resourceType: target,
      resourceId,
      description: 'No.',
      appId: target === 'app' ? resourceId : null,
      environmentId: target === 'environment' ? resourceId : null,
    })
  })

  test('is about the app that the query names, if it is about an app that the path does not name', () => {
    const refusalAbout = (target: DeclaredRefusal['target'], app_id: string) =>
      refusalOf({ eventType: 'environment.create_refused', target }, { params: {}, query: { app_id } }, 'No.')
    expect(refusalAbout('app', id.toUpperCase())).toMatchObject({ resourceId: id, appId: id })
    expect(refusalAbout('app', 'nonsense')).toMatchObject({ resourceId: null, appId: null })
    expect(refusalAbout('access', id)).toMatchObject({ resourceId: null, appId: null })
    const query = { app_id: id }
    expect(
      refusalOf({ eventType: 'app.read_refused', target: 'app' }, { params: { id: other }, query }, 'No.'),
    ).toMatchObject({ resourceId: other, appId: other })
  })

  test('keeps nothing from the path that does not have the form of an id', () => {
    const declared = { eventType: 'role.delete_refused', target: 'role' } as const
    const ids = { params: { id: 'ada@example.org' }, query: {} }
    expect(refusalOf(declared, ids, 'No.').resourceId).toBeNull()
  })
})
