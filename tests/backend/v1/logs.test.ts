import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { api } from '../../support/api.ts'
import { appWith, grant } from '../../support/apps.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { member, owner, type Person } from '../../support/people.ts'
import { countStatements } from '../../support/statements.ts'

let ctx: TestContext
let service: ReturnType<typeof api>
let ada: Person & { organisationId: string }
let developer: Person
let nobody: Person

beforeAll(async () => {
  ctx = await testContext()
  service = api(ctx, '192.0.2.7')
  ada = await owner(ctx)
  developer = await member(ctx, 'developer')
  const permissions = { permissions: {}, app_permissions: {} }
  const { body } = await service.as(ada.token).post('/v1/roles', { name: 'Nothing', permissions })
  nobody = await member(ctx, { id: body.id })
})
afterAll(() => ctx.close())

const read = async (query = '', token = ada.token) =>
  (await service.as(token).get(`/v1/logs/audit/${query}`)).body

/** Writes an entry straight into the trail; gives its id. */
async function entry(values: Record<string, unknown> = {}): Promise<string> {
  const id = randomUUID()
  const row = {
    id,
    organisation_id: ada.organisationId,
    event_type: 'thing.changed',
    resource_type: 'thing',
    actor_type: 'user',
    actor_id: ada.id,
    actor_metadata: ctx.db.json({}),
    resource_metadata: ctx.db.json({}),
    description: 'Thing changed.',
    timestamp: ctx.clock.now(),
    ...values,
  }
  await ctx.db`insert into audit_entries ${ctx.db(row)}`
  return id
}

const idsOf = (page: { data: { id: string }[] }) => page.data.map(({ id }) => id)

describe('GET /v1/logs/audit', () => {
  test('shows an entry with exactly its fields', async () => {
    const input = { name: 'Auditor', permissions: { permissions: {}, app_permissions: {} } }
    const created = await service.as(ada.token).send('POST', '/v1/roles', {
      body: JSON.stringify(input),
      headers: { 'content-type': 'application/json', 'user-agent': 'curl/8' },
    })
    const { status, body } = await service
      .as(ada.token)
      .get(`/v1/logs/audit?resource_id=${created.body.id.toUpperCase()}`)
    expect(body).toEqual({
      data: [
        {
          id: expect.any(String),
          eventType: 'role.created',
          resourceType: 'role',
          resourceId: created.body.id,
          actorType: 'user',
          actorId: ada.id,
          actorMetadata: { name: 'Ada Example', role: 'Owner', tokenId: expect.any(String) },
          resourceMetadata: { name: 'Auditor' },
          oldValues: null,
          newValues: {
            name: 'Auditor',
            description: null,
            color: '',
            permissions: { permissions: {}, appPermissions: {} },
          },
          description: 'Role "Auditor" created.',
          ipAddress: '192.0.2.7',
          userAgent: 'curl/8',
          requestId: created.headers.get('x-request-id'),
          timestamp: '2026-01-01T00:00:00.000Z',
          count: 1,
        },
      ],
      nextCursor: null,
    })
    expect(status).toBe(200)
  })

  test('is newest first, then by id, and pages put together are the whole', async () => {
    const made: string[][] = []
    for (let second = 0; second < 4; second++) {
      ctx.clock.advance(1)
      const same = await Promise.all([0, 1, 2].map(() => entry({ resource_type: 'page' })))
      made.unshift(same.sort().reverse())
    }
    const found: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const page: { data: { id: string }[]; nextCursor: string | null } = await read(
        `?resource_type=page&limit=5${cursor && `&cursor=${cursor}`}`,
      )
      found.push(...idsOf(page))
      cursor = page.nextCursor
    }
    expect(found).toEqual(made.flat())
  })

  test('holds 50 entries on a page unless asked otherwise, at most 200', async () => {
    await Promise.all(Array.from({ length: 51 }, () => entry({ resource_type: 'many' })))
    const page = await read('?resource_type=many')
    expect(page.data).toHaveLength(50)
    expect(page.nextCursor).toEqual(expect.any(String))
    expect((await read('?resource_type=many&limit=200')).data).toHaveLength(51)
    expect((await service.as(ada.token).get('/v1/logs/audit?limit=201')).status).toBe(400)
  })

  test('filters by type, id, event, actor and time: from is inclusive, to exclusive', async () => {
    ctx.clock.advance(3600)
    const at = ctx.clock.now()
    const resource = randomUUID()
    const first = await entry({ resource_type: 'f', resource_id: resource, event_type: 'f.made' })
    ctx.clock.advance(60)
    const second = await entry({ resource_type: 'f', actor_id: developer.id })
    const later = ctx.clock.now().toISOString()
    expect(idsOf(await read('?resource_type=f'))).toEqual([second, first])
    expect(idsOf(await read(`?resource_id=${resource}`))).toEqual([first])
    expect(idsOf(await read('?event_type=f.made'))).toEqual([first])
    expect(idsOf(await read(`?resource_type=f&actor_id=${developer.id}`))).toEqual([second])
    expect(idsOf(await read(`?resource_type=f&from=${at.toISOString()}&to=${later}`))).toEqual([first])
    expect(idsOf(await read(`?resource_type=f&from=${later}`))).toEqual([second])
    const elsewhere = new Date(at.getTime() + 2 * 3600_000).toISOString().replace('Z', '%2B02:00')
    expect(idsOf(await read(`?resource_type=f&to=${elsewhere}`))).toEqual([])
  })

  test('finds what two filters have in common', async () => {
    const robot = { actor_type: 'service_account', actor_id: randomUUID() }
    const updated = await entry({ ...robot, event_type: 'app.updated', resource_type: 'app' })
    // The refusal of one resource may be about another.
    const refused = await entry({ ...robot, event_type: 'app.create_refused', resource_type: 'organisation' })
    const found = async (query: string) =>
      idsOf(await read(`?actor_id=${robot.actor_id}&${query}`)).toSorted()
    expect(await found('actor_type=service_account')).toEqual([updated, refused].toSorted())
    expect(await found('actor_type=user')).toEqual([])
    expect(await found('event_type=app.updated')).toEqual([updated])
    expect(await found('event_type=app.updated&resource_type=app&actor_type=service_account')).toEqual([
      updated,
    ])
    expect(await found('event_type=app.updated&resource_type=role')).toEqual([])
    expect(await found('event_type=app.create_refused&resource_type=organisation')).toEqual([refused])
    expect(await found('event_type=app.create_refused&resource_type=app')).toEqual([])
    expect(await found('event_type=constructor&resource_type=app')).toEqual([])
    const unknown = `?actor_id=${randomUUID()}&actor_type=user`
    expect(await read(unknown)).toEqual({ data: [], nextCursor: null })
  })

  test('shows what an operator did, without an id, and finds it by the type of the actor', async () => {
    const done = await entry({ resource_type: 'o', actor_type: 'operator', actor_id: null })
    const robot = await entry({ resource_type: 'o', actor_type: 'service_account' })
    const own = await entry({ resource_type: 'o' })
    for (const [type, id] of [
      ['operator', done],
      ['service_account', robot],
      ['user', own],
    ])
      expect(idsOf(await read(`?resource_type=o&actor_type=${type}`))).toEqual([id] as string[])
    const [shown] = (await read('?resource_type=o&actor_type=operator', developer.token)).data
    expect(shown).toMatchObject({ actorType: 'operator', actorId: null, ipAddress: null })
  })

  test('the database refuses an operator with an id, and anybody else without one', async () => {
    const broken = 'audit_entries_actor_id_check'
    await expect(entry({ actor_type: 'operator' })).rejects.toThrow(broken)
    await expect(entry({ actor_id: null })).rejects.toThrow(broken)
  })

  test.each(['actor_id', 'actor_type', 'resource_id', 'resource_type', 'event_type'])(
    'gives an empty list for an unknown %s',
    async (name) => {
      for (const value of [randomUUID(), 'nonsense', '']) {
        expect(await read(`?${name}=${value}`)).toEqual({ data: [], nextCursor: null })
      }
    },
  )

  test.each([
    ['from=yesterday', /^from must be a date and time with its zone/],
    ['from=2026-01-01', /^from must be a date and time with its zone/],
    ['to=2026-02-30T00:00:00Z', /^to must be a date and time with its zone/],
    ['to=', /^to must be/],
    ['limit=0', /^limit must be/],
    ['cursor=x', /^cursor must be/],
    ['event_type=a%00b', /^event_type must not contain NUL characters\.$/],
    [`resource_id=${'x'.repeat(201)}`, /^resource_id must have at most 200 characters\.$/],
  ])('refuses %s', async (query, sentence) => {
    const { status, body } = await service.as(ada.token).get(`/v1/logs/audit?${query}`)
    expect(body.error).toMatch(sentence)
    expect(status).toBe(400)
  })

  test('is 401 without credentials and 403 without the permission', async () => {
    expect((await service.anonymous.get('/v1/logs/audit')).status).toBe(401)
    const { status, body } = await service.as(nobody.token).get('/v1/logs/audit')
    expect(body).toEqual({ error: "You don't have permission to read logs." })
    expect(status).toBe(403)
  })

  test('is one statement beside authentication, for every caller', async () => {
    await read('', developer.token)
    expect(await countStatements(ctx, () => read('', developer.token))).toBe(2)
    await read()
    expect(await countStatements(ctx, () => read('?limit=2'))).toBe(2)
  })
})

describe('a caller without global access', () => {
  test('sees no entry about an app or environment that it cannot access', async () => {
    const mine = await appWith(ctx, 'Mine', ['open', 'closed'])
    const theirs = await appWith(ctx, 'Theirs', ['closed'])
    const [open, closed] = mine.environments
    if (open === undefined || closed === undefined) throw new Error('no such environment')
    await grant(ctx, developer.id, [open])
    const about = (appId: string | null, environmentId: string | null) =>
      entry({ resource_type: 'secret', app_id: appId, environment_id: environmentId })
    const visible = [
      await about(null, null),
      await about(mine.id, null),
      await about(mine.id, open.id),
      await about(null, open.id),
    ]
    const hidden = [
      await about(mine.id, closed.id),
      await about(null, closed.id),
      await about(theirs.id, null),
      await about(theirs.id, theirs.environments[0]?.id ?? null),
      await about(randomUUID(), null),
    ]
    const seen = (token: string) => read('?resource_type=secret', token).then((page) => idsOf(page).sort())
    expect(await seen(developer.token)).toEqual(visible.sort())
    expect(await seen(ada.token)).toEqual([...visible, ...hidden].sort())
    // What is left out is left out before the page is cut.
    const page = await read(`?resource_type=secret&limit=${visible.length}`, developer.token)
    expect(page.data).toHaveLength(visible.length)
    expect(page.nextCursor).toBeNull()
  })

  test('sees its own addresses, and not those of other actors', async () => {
    const from = { resource_type: 'origin', ip_address: '198.51.100.1', user_agent: 'curl/8' }
    const mine = await entry({ ...from, actor_id: developer.id })
    const beforeJoining = await entry({ ...from, actor_id: developer.userId })
    const theirs = await entry(from)
    const origins = async (token: string) =>
      Object.fromEntries(
        (await read('?resource_type=origin', token)).data.map(
          (item: { id: string; ipAddress: string | null; userAgent: string | null }) => [
            item.id,
            [item.ipAddress, item.userAgent],
          ],
        ),
      )
    const shown = ['198.51.100.1', 'curl/8']
    expect(await origins(developer.token)).toEqual({
      [mine]: shown,
      [beforeJoining]: shown,
      [theirs]: [null, null],
    })
    expect(await origins(ada.token)).toEqual({ [mine]: shown, [beforeJoining]: shown, [theirs]: shown })
  })
})
