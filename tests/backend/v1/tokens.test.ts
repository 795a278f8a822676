import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { PER_MEMBER } from '../../../src/core/tokens/creation-limit.ts'
import { openDatabase } from '../../../src/platform/postgres/database.ts'
import { api, type Client } from '../../support/api.ts'
import { entriesAbout, trailAsText } from '../../support/audit-entries.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { eventually } from '../../support/eventually.ts'
import { member, owner, type Person, serviceAccount, session, user } from '../../support/people.ts'
import { inTurn } from '../../support/races.ts'
import { countStatements } from '../../support/statements.ts'

let ctx: TestContext
let ada: Person
let service: ReturnType<typeof api>
let signedIn: Client

beforeAll(async () => {
  ctx = await testContext()
  service = api(ctx)
  ada = await owner(ctx)
  signedIn = service.as(await session(ctx, ada.userId))
})
afterAll(() => ctx.close())

const unknown = '00000000-0000-4000-8000-000000000000'

describe('POST /v1/tokens', () => {
  test('so many an hour by one member, and 429 beyond, however many were revoked', async () => {
    const mel = await member(ctx, 'service')
    const own = service.as(await session(ctx, mel.userId))
    const create = () => own.post('/v1/tokens/', { name: 'again' })
    const created = await create()
    await own.delete(`/v1/tokens/${created.body.id}`)
    await ctx.db`update sign_in_attempts set count = ${PER_MEMBER.limit - 1}`
    expect((await create()).status).toBe(201)
    const { status, body, headers } = await create()
    expect([status, body]).toEqual([429, { error: 'Too many new tokens. Try again later.' }])
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await signedIn.post('/v1/tokens/', { name: 'another member' })).status).toBe(201)
  })

  test('creates a valid token, shown once, and stores only a hash of it', async () => {
    const { status, body } = await signedIn.post('/v1/tokens/', { name: ' laptop ', expires_in: 3600 })
    expect(body).toEqual({
      id: expect.any(String),
      name: 'laptop',
      format: 'keyward',
      createdAt: '2026-01-01T00:00:00.000Z',
      expiresAt: '2026-01-01T01:00:00.000Z',
      lastUsedAt: null,
      createdBy: { type: 'user', id: ada.id, name: 'Ada Example' },
      token: expect.stringMatching(/^kw_pat_[0-9A-Za-z]{49}$/),
    })
    expect(status).toBe(201)
    expect((await service.as(body.token).get('/v1/me')).body.id).toBe(ada.id)
    const stored = JSON.stringify(await ctx.db`select * from tokens`)
    expect(stored).toContain(body.id)
    expect(stored).not.toContain(body.token)
    expect(await entriesAbout(ctx, body.id)).toEqual([
      {
        event_type: 'token.created',
        resource_type: 'token',
        actor_id: ada.id,
        resource_metadata: { name: 'laptop', expiresAt: '2026-01-01T01:00:00.000Z', ownerId: ada.id },
        old_values: null,
        new_values: { name: 'laptop', expiresAt: '2026-01-01T01:00:00.000Z' },
        description: 'Personal access token "laptop" created.',
      },
    ])
    expect(await trailAsText(ctx)).not.toContain('kw_')
  })

  test('names need not be unique, and the expiry is optional', async () => {
    const answers = [
      await signedIn.post('/v1/tokens', { name: 'twin' }),
      await signedIn.post('/v1/tokens', { name: 'twin' }),
    ]
    expect(answers.map(({ status, body }) => [status, body.expiresAt])).toEqual([
      [201, null],
      [201, null],
    ])
  })

  test('is 403 with an access token, whatever the body', async () => {
    const bad = { body: '{', headers: { 'content-type': 'application/json' } }
    expect((await service.anonymous.send('POST', '/v1/tokens', bad)).status).toBe(401)
    expect(await service.as(ada.token).send('POST', '/v1/tokens', bad)).toMatchObject({
      status: 403,
      body: { error: 'Create personal access tokens with a session token, not with an access token.' },
    })
    expect((await service.as(ada.token).post('/v1/tokens', { name: 'x' })).status).toBe(403)
    expect((await signedIn.send('POST', '/v1/tokens', bad)).status).toBe(400)
  })

  test('a member without any permission can have tokens', async () => {
    const { body: role } = await service
      .as(ada.token)
      .post('/v1/roles', { name: 'Nobody', permissions: { permissions: {}, app_permissions: {} } })
    const nobody = await member(ctx, { id: role.id })
    const { status } = await service.as(await session(ctx, nobody.userId)).post('/v1/tokens', { name: 'x' })
    expect(status).toBe(201)
  })

  test.each([
    [{}, 'name is required.'],
    [{ name: ' ' }, 'name is required.'],
    [{ name: 'x'.repeat(65) }, 'name must have at most 64 characters.'],
    [{ name: 'x', expires_at: null }, /^expires_at must be a date and time/],
    [{ name: 'x', expires_in: null }, /^expires_in must be/],
    [{ name: 'x', expires_in: '60' }, /^expires_in must be/],
    [{ name: 'x', expires_in: 0 }, 'expires_in must be a whole number from 1 to 315619200.'],
    [{ name: 'x', expires_at: '2027-02-30T00:00:00Z' }, /^expires_at must be a date and time/],
    [{ name: 'x', expires_at: '2025-01-01T00:00:00Z' }, 'expires_at must be in the future.'],
    [{ name: 'x', expires_at: '2099-01-01T00:00:00Z' }, 'expires_at must be at most ten years ahead.'],
    [{ name: 'x', expires_at: '2027-01-01T00:00:00Z', expires_in: 5 }, /not both/],
    [{ name: 'x', expiresIn: 5 }, 'Unknown field "expiresIn".'],
  ])('refuses %j', async (input, sentence) => {
    const { status, body } = await signedIn.post('/v1/tokens', input)
    expect(body.error).toMatch(sentence)
    expect(status).toBe(400)
  })
})

test('removing a member while it creates a token leaves no token', async () => {
  for (let round = 0; round < 5; round++) {
    const mel = await member(ctx, 'developer')
    const sessionToken = await session(ctx, mel.userId)
    const [created, removed] = await Promise.all([
      service.as(sessionToken).post('/v1/tokens', { name: 'late' }),
      service.as(ada.token).delete(`/v1/members/${mel.id}`),
    ])
    expect(removed.status).toBe(204)
    expect([201, 401]).toContain(created.status)
    expect(await ctx.db`select 1 from tokens where principal_id = ${mel.id}`).toHaveLength(0)
  }
})

test('a member removed between authentication and creation of the token gets 401', async () => {
  const mel = await member(ctx, 'developer')
  const sessionToken = await session(ctx, mel.userId)
  let created: Promise<{ status: number }> | undefined
  await ctx.db.begin(async (tx) => {
    await tx`update members set removed_at = ${ctx.clock.now()}, role_name = 'Developer' where id = ${mel.id}`
    await tx`delete from principals where id = ${mel.id}`
    created = service.as(sessionToken).post('/v1/tokens', { name: 'late' })
    await eventually('the new token waits for the removal', async () => {
      const waiting = await ctx.db`
        select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%from principals where id%for no key update'
          and datname = current_database()`
      return waiting.length === 1
    })
  })
  expect((await created)?.status).toBe(401)
})

test('a removal waits for the token that is being created, and tokens asked for later wait for the removal', async () => {
  const mel = await member(ctx, 'developer')
  const client = service.as(await session(ctx, mel.userId))
  const answers = await inTurn(
    ctx.database.aside,
    (tx) => tx`select 1 from principals where id = ${mel.id} for no key update`,
    () => client.post('/v1/tokens', { name: 'first' }),
    () => service.as(ada.token).delete(`/v1/members/${mel.id}`),
    () => client.post('/v1/tokens', { name: 'later' }),
  )
  expect(answers.map(({ status }) => status)).toEqual([201, 204, 401])
})

describe('GET /v1/tokens', () => {
  test("lists the caller's own tokens without their text, oldest first, in pages", async () => {
    const mel = await member(ctx, 'developer')
    const sessionToken = await session(ctx, mel.userId)
    ctx.clock.advance(1)
    const { body: second } = await service.as(sessionToken).post('/v1/tokens', { name: 'second' })
    const all = await service.as(sessionToken).get('/v1/tokens/')
    const { token: _, ...shown } = second
    expect(all.body.data.map((token: { name: string }) => token.name)).toEqual(['test', 'second'])
    expect(all.body.data[1]).toEqual(shown)
    const creators = all.body.data.map((token: { createdBy: unknown }) => token.createdBy)
    expect(creators).toEqual([null, { type: 'user', id: mel.id, name: 'Ada Example' }])
    const first = await service.as(mel.token).get('/v1/tokens?limit=1')
    expect(first.body.data).toHaveLength(1)
    const rest = await service.as(mel.token).get(`/v1/tokens?cursor=${first.body.nextCursor}`)
    expect(rest.body.data).toEqual([shown])
    expect(rest.body.nextCursor).toBeNull()
    const other = await service.as(ada.token).get(`/v1/tokens?cursor=${first.body.nextCursor}`)
    expect(other.status).toBe(400)
  })

  test('sends one query beside the one that authenticates', async () => {
    const client = service.as(ada.token)
    expect(await countStatements(ctx, () => client.get('/v1/tokens'))).toBe(2)
  })

  test('shows when a token was last used', async () => {
    const { body } = await signedIn.post('/v1/tokens', { name: 'used' })
    await service.as(body.token).get('/v1/me')
    const used = async () =>
      (await signedIn.get('/v1/tokens')).body.data.find((token: { id: string }) => token.id === body.id)
        .lastUsedAt
    await eventually('the last use is written', async () => (await used()) !== null)
    expect(await used()).toBe(ctx.clock.now().toISOString())
    ctx.clock.advance(-120)
    await service.as(body.token).get('/v1/me')
    const earlier = ctx.clock.now().toISOString()
    await eventually('a use from the future is written over', async () => (await used()) === earlier)
    ctx.clock.advance(120)
  })
})

describe('DELETE /v1/tokens/:id', () => {
  test('revokes a token at once, also by itself, and is 404 the second time', async () => {
    const { body } = await signedIn.post('/v1/tokens', { name: 'gone' })
    const gone = await service.as(body.token).delete(`/v1/tokens/${body.id}/`)
    expect([gone.status, gone.body]).toEqual([204, ''])
    expect(await service.as(body.token).get('/v1/me')).toMatchObject({
      status: 401,
      body: { error: 'Token expired or deleted' },
    })
    expect(await signedIn.delete(`/v1/tokens/${body.id}`)).toMatchObject({
      status: 404,
      body: { error: 'Token not found.' },
    })
    const entries = await entriesAbout(ctx, body.id)
    expect(entries.map((entry) => entry.event_type)).toEqual(['token.created', 'token.deleted'])
    expect(entries[1]).toMatchObject({
      resource_metadata: { name: 'gone', expiresAt: null, ownerId: ada.id },
      old_values: { name: 'gone', expiresAt: null },
      new_values: null,
    })
  })

  test('is 401 for a token that revokes itself while another request revokes it', async () => {
    const { body } = await signedIn.post('/v1/tokens', { name: 'raced' })
    const path = `/v1/tokens/${body.id}`
    let late: Promise<{ status: number }> | undefined
    await ctx.db.begin(async (tx) => {
      await tx`delete from tokens where id = ${body.id}`
      late = service.as(body.token).delete(path.toUpperCase().replace('/V1/TOKENS', '/v1/tokens'))
      await eventually('the revocation waits for the other', async () => {
        const waiting = await ctx.db`
          select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%delete from tokens%'
            and datname = current_database()`
        return waiting.length === 1
      })
    })
    expect((await late)?.status).toBe(401)
    expect((await service.as(body.token).delete(path)).status).toBe(401)
  })

  test("is 404 for another member's token, which stays, and for unknown and malformed ids", async () => {
    const mel = await member(ctx, 'manager')
    const robot = await serviceAccount(ctx, 'service')
    const rows = await ctx.db<
      { id: string }[]
    >`select id from tokens where principal_id in (${mel.id}, ${robot.id})`
    for (const id of [...rows.map((row) => row.id), unknown, 'nonsense']) {
      expect((await service.as(ada.token).delete(`/v1/tokens/${id}`)).status).toBe(404)
    }
    expect((await service.as(mel.token).get('/v1/me')).status).toBe(200)
    expect((await service.as(robot.token).get('/v1/me')).status).toBe(200)
  })
})

describe('callers without personal access tokens', () => {
  const routes = [
    ['GET', '/v1/tokens'],
    ['POST', '/v1/tokens'],
    ['DELETE', `/v1/tokens/${unknown}`],
  ] as const

  test.each(routes)('%s %s is 401 without credentials', async (method, path) => {
    const { status, headers } = await service.anonymous.send(method, path)
    expect(status).toBe(401)
    expect(headers.get('www-authenticate')).toBe('Bearer')
  })

  test.each(routes)('%s %s is 403 for a service account', async (method, path) => {
    const robot = await serviceAccount(ctx, 'service')
    expect(await service.as(robot.token).send(method, path)).toMatchObject({
      status: 403,
      body: { error: 'Service accounts have no personal access tokens.' },
    })
  })

  test.each(routes)('%s %s is 403 for a user without a membership', async (method, path) => {
    const sessionToken = await session(ctx, await user(ctx))
    expect(await service.as(sessionToken).send(method, path)).toMatchObject({
      status: 403,
      body: { error: 'You are not a member of an organisation.' },
    })
  })
})

describe('expiry and revocation', () => {
  test('a token is refused from its expiry on, and is listed with it', async () => {
    const { body } = await signedIn.post('/v1/tokens', { name: 'short', expires_in: 60 })
    ctx.clock.advance(59)
    expect((await service.as(body.token).get('/v1/me')).status).toBe(200)
    ctx.clock.advance(1)
    expect((await service.as(body.token).get('/v1/me')).status).toBe(401)
    expect(JSON.stringify((await signedIn.get('/v1/tokens')).body)).toContain(body.id)
  })

  test('a token revoked while two replicas use it gets 200, 204 or 401, and afterwards 401', async () => {
    const db = openDatabase(ctx.database.config, { max: 4 })
    const here = service
    const there = api({ ...ctx, db })
    try {
      for (let round = 0; round < 5; round++) {
        ctx.clock.advance(61)
        const sessionToken = await session(ctx, ada.userId)
        const { body } = await here.as(sessionToken).post('/v1/tokens', { name: 'raced' })
        const uses = [here, there].flatMap((app) =>
          Array.from({ length: 6 }, () => app.as(body.token).get('/v1/tokens')),
        )
        const revocations = [here, there].map((app) => app.as(body.token).delete(`/v1/tokens/${body.id}`))
        const revoked = await Promise.all(revocations)
        const after = await Promise.all([here, there].map((app) => app.as(body.token).get('/v1/tokens')))
        expect(after.map(({ status }) => status)).toEqual([401, 401])
        for (const { status } of await Promise.all(uses)) expect([200, 401]).toContain(status)
        const statuses = revoked.map(({ status }) => status)
        expect(statuses.sort()).toEqual([204, 401])
        const deleted = (await entriesAbout(ctx, body.id)).filter(
          (entry) => entry.event_type === 'token.deleted',
        )
        expect(deleted).toHaveLength(1)
      }
    } finally {
      await db.end()
    }
  })
})
