import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { addMember } from '../../../src/core/members/addition.ts'
import { newToken } from '../../../src/core/tokens/token-text.ts'
import { createProviders } from '../../../src/platform/sso/providers.ts'
import { api } from '../../support/api.ts'
import { entriesAbout } from '../../support/audit-entries.ts'
import { type TestContext, testConfig, testContext } from '../../support/context.ts'
import { eventually } from '../../support/eventually.ts'
import { silence, startMaliciousProvider } from '../../support/malicious-provider.ts'
import { member, roleOf, token } from '../../support/people.ts'
import { raceFor } from '../../support/races.ts'
import { type Browser, browser, login, newEmail, register, signIn } from '../../support/sign-in.ts'

const DAY = 24 * 3600

let ctx: TestContext
let service: ReturnType<typeof api>
let replica: ReturnType<typeof api>
let ada: { email: string; userId: string; memberId: string }

beforeAll(async () => {
  ctx = await testContext({ RATE_LIMIT_AUTH: 'off' })
  service = api(ctx)
  replica = api(ctx)
  const email = newEmail()
  const { body } = await register(service, { email })
  ada = { email, userId: body.user.id, memberId: body.member.id }
})
afterAll(() => ctx.close())

/** Whether a session's cookie and its token are valid, at the other replica. */
async function isAlive(session: Browser): Promise<boolean> {
  const statuses = [
    (await session.at(replica).get('/sessions')).status,
    (await replica.as(session.token).get('/v1/me')).status,
  ]
  expect([
    [200, 200],
    [401, 401],
  ]).toContainEqual(statuses)
  return statuses[0] === 200
}

describe('GET /service/auth/methods/', () => {
  test('says how to sign in, to anyone', async () => {
    const { status, body } = await service.anonymous.get('/service/auth/methods/')
    expect(body).toEqual({
      password: true,
      providers: [],
      setupRequired: false,
      setupTokenRequired: false,
      mail: false,
    })
    expect(status).toBe(200)
    const other = testConfig({
      ENABLE_PASSWORD_AUTH: 'false',
      SMTP_HOST: 'mail.example.org',
      SMTP_FROM: 'keyward@example.org',
    })
    const { body: others } = await api({ ...ctx, config: other }).anonymous.get('/service/auth/methods')
    expect(others).toEqual({
      password: false,
      providers: [],
      setupRequired: false,
      setupTokenRequired: false,
      mail: true,
    })
  })

  test('lists the providers that can be reached, in their order, and waits for none', async () => {
    const up = startMaliciousProvider(ctx.clock)
    const down = startMaliciousProvider(ctx.clock)
    down.answers.discovery = silence
    const { sso } = testConfig({
      ...up.variables('up'),
      ...down.variables('down'),
      SSO_PROVIDERS: 'github,down,up',
      UP_DISPLAY_NAME: 'Example accounts',
      GITHUB_CLIENT_ID: 'id',
      GITHUB_CLIENT_SECRET: 'secret',
    })
    const providers = createProviders(sso, ctx.clock, { stepMilliseconds: 2000 })
    const own = api({ ...ctx, sso: providers })
    const listed = async () => (await own.anonymous.get('/service/auth/methods/')).body.providers
    const github = { id: 'github', name: 'GitHub' }
    const example = { id: 'up', name: 'Example accounts' }

    const began = performance.now()
    expect(await listed()).toEqual([github, { id: 'down', name: 'down' }, example])
    expect(performance.now() - began).toBeLessThan(1500)
    await eventually('down is left out', async () => (await listed()).length === 2)
    expect(await listed()).toEqual([github, example])
    await up.close()
    await down.close()
  })
})

describe('POST /service/auth/session/', () => {
  test('creates another session token from the cookie', async () => {
    const session = await signIn(service, ada.email)
    const { status, body } = await session.post('/session/')
    expect(status).toBe(200)
    expect(body).toEqual({
      accessToken: expect.stringMatching(/^kw_ses_/),
      expiresAt: new Date(ctx.clock.now().getTime() + 900_000).toISOString(),
    })
    expect(body.accessToken).not.toBe(session.token)
    for (const bearer of [body.accessToken, session.token]) {
      expect((await service.as(bearer).get('/v1/me')).body.id).toBe(ada.memberId)
    }
  })

  test('needs the session cookie: no session token, access token or malformed cookie is accepted', async () => {
    const { token: bearer } = await signIn(service, ada.email)
    const pat = await token(ctx, ada.memberId, 'pat')
    const refused = await service.as(bearer).post('/service/auth/session')
    expect([refused.status, refused.body]).toEqual([
      401,
      { error: 'Authentication credentials were not provided.' },
    ])
    expect(refused.headers.get('www-authenticate')).toBe('Bearer')
    expect((await service.as(pat).post('/service/auth/session')).status).toBe(401)
    for (const value of ['', 'junk', bearer, newToken('cookie')]) {
      expect((await browser(service, `keyward_session=${value}`).post('/session')).status).toBe(401)
    }
  })

  test('finds the cookie among others', async () => {
    const { cookie } = await signIn(service, ada.email)
    const several = `theme=dark; x${cookie}; ${cookie}; lang=en`
    expect((await browser(service, several).post('/session')).status).toBe(200)
  })

  test('a session token expires after 15 minutes, the session goes on', async () => {
    const session = await signIn(service, ada.email)
    ctx.clock.advance(15 * 60 - 1)
    expect((await service.as(session.token).get('/v1/me')).status).toBe(200)
    ctx.clock.advance(1)
    expect((await service.as(session.token).get('/v1/me')).status).toBe(401)
    const { body } = await session.post('/session')
    expect((await service.as(body.accessToken).get('/v1/me')).status).toBe(200)
  })

  test('a session ends after seven days without use', async () => {
    const session = await signIn(service, ada.email)
    ctx.clock.advance(7 * DAY - 1)
    expect((await session.post('/session')).status).toBe(200)
    ctx.clock.advance(7 * DAY - 1)
    expect((await session.post('/session')).status).toBe(200)
    ctx.clock.advance(7 * DAY)
    expect((await session.post('/session')).status).toBe(401)
  })

  test('a session ends after thirty days however much it is used, and its last bearer with it', async () => {
    const session = await signIn(service, ada.email)
    for (let day = 0; day < 29; day++) {
      ctx.clock.advance(DAY)
      expect((await session.post('/session')).status).toBe(200)
    }
    ctx.clock.advance(DAY - 1)
    const { body } = await session.post('/session')
    expect(body.expiresAt).toBe(new Date(ctx.clock.now().getTime() + 1000).toISOString())
    ctx.clock.advance(1)
    expect((await session.post('/session')).status).toBe(401)
    expect((await service.as(body.accessToken).get('/v1/me')).status).toBe(401)
  })

  test('bearers that are over are forgotten', async () => {
    const email = newEmail()
    const { user } = (await register(service, { email })).body
    const session = await signIn(service, email)
    ctx.clock.advance(15 * 60)
    await session.post('/session')
    const bearers = await ctx.db`
      select 1 from session_tokens b join sessions s on s.id = b.session_id where s.user_id = ${user.id}`
    expect(bearers).toHaveLength(1)
  })
})

describe('POST /service/auth/logout/', () => {
  test('ends the session and its bearers on every replica, clears the cookie, and is an entry', async () => {
    const session = await signIn(service, ada.email)
    const other = await signIn(service, ada.email)
    const [current] = (await session.get('/sessions')).body.data.filter(
      (row: { current: boolean }) => row.current,
    )
    const { status, body, headers } = await session.post('/logout/')
    expect([status, body]).toEqual([204, ''])
    expect(headers.get('set-cookie')).toBe('keyward_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax')
    expect(await isAlive(session)).toBe(false)
    expect(await isAlive(other)).toBe(true)
    expect(await entriesAbout(ctx, current.id)).toEqual([
      expect.objectContaining({
        event_type: 'session.ended',
        resource_type: 'session',
        actor_id: ada.memberId,
      }),
    ])
  })

  test('works with a bearer, and is 401 without any', async () => {
    const session = await signIn(service, ada.email)
    expect((await service.as(session.token).post('/service/auth/logout')).status).toBe(204)
    expect(await isAlive(session)).toBe(false)
    expect((await service.anonymous.post('/service/auth/logout')).status).toBe(401)
  })

  test('a concurrent request for a session token leaves no valid token, and is never a 500', async () => {
    for (let round = 0; round < 10; round++) {
      const session = await signIn(service, ada.email)
      const [out, issued] = await Promise.all([session.post('/logout'), session.at(replica).post('/session')])
      expect(out.status).toBe(204)
      expect([200, 401]).toContain(issued.status)
      if (issued.status === 200) {
        expect((await service.as(issued.body.accessToken).get('/v1/me')).status).toBe(401)
      }
    }
  })

  test('is 400 for a body with fields, and ends nothing', async () => {
    const session = await signIn(service, ada.email)
    expect((await session.post('/logout', { everywhere: true })).status).toBe(400)
    expect((await session.get('/sessions')).status).toBe(200)
  })

  test('of two concurrent requests one is 204, the other 401', async () => {
    const session = await signIn(service, ada.email)
    const answers = await raceFor(
      ctx.db,
      (tx) => tx`select 1 from sessions for update`,
      () => session.post('/logout'),
      () => session.at(replica).post('/logout'),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 401])
  })
})

describe('GET /service/auth/sessions/', () => {
  test("lists the caller's sessions, oldest first, and marks the current one", async () => {
    const email = newEmail()
    await register(service, { email })
    await signIn(service, ada.email)
    const first = await signIn(service, email)
    ctx.clock.advance(120)
    const second = await signIn(api(ctx, '2001:db8::1'), email)
    const { status, body } = await first.send('GET', '/sessions/', undefined, { 'user-agent': 'A browser' })
    expect(status).toBe(200)
    const now = ctx.clock.now()
    const past = new Date(now.getTime() - 120_000)
    const thirtyDays = 30 * 24 * 3600_000
    expect(body).toEqual({
      data: [
        {
          id: expect.any(String),
          current: true,
          ipAddress: '127.0.0.1',
          userAgent: null,
          createdAt: past.toISOString(),
          lastUsedAt: expect.any(String),
          expiresAt: new Date(past.getTime() + thirtyDays).toISOString(),
        },
        {
          id: expect.any(String),
          current: false,
          ipAddress: '2001:db8::1',
          userAgent: null,
          createdAt: now.toISOString(),
          lastUsedAt: now.toISOString(),
          expiresAt: new Date(now.getTime() + thirtyDays).toISOString(),
        },
      ],
    })
    const page = await service.as(second.token).get('/service/auth/sessions?limit=1')
    expect(page.body.data).toHaveLength(1)
    const next = await service.as(second.token).get(`/service/auth/sessions?cursor=${page.body.nextCursor}`)
    expect(next.body).toMatchObject({ data: [{ id: body.data[1].id, current: true }], nextCursor: null })
  })

  test('is 401 without a session, with an access token, and 400 for a bad page', async () => {
    expect((await service.anonymous.get('/service/auth/sessions')).status).toBe(401)
    const pat = await token(ctx, ada.memberId, 'pat')
    expect((await service.as(pat).get('/service/auth/sessions')).status).toBe(401)
    const session = await signIn(service, ada.email)
    expect((await session.get('/sessions?limit=0')).status).toBe(400)
    expect((await session.get('/sessions?cursor=junk')).status).toBe(400)
  })
})

describe('DELETE /service/auth/sessions/:id', () => {
  test("ends one of the caller's sessions, from the next request on, on every replica", async () => {
    const email = newEmail()
    const { user } = (await register(service, { email })).body
    const here = await signIn(service, email)
    const lost = await signIn(service, email)
    const rows = (await here.get('/sessions')).body.data as { id: string; current: boolean }[]
    const [other] = rows.filter(({ current }) => !current)
    const { status, headers } = await here.delete(`/sessions/${other?.id}/`)
    expect(status).toBe(204)
    expect(headers.get('set-cookie')).toBeNull()
    expect(await isAlive(lost)).toBe(false)
    expect(await isAlive(here)).toBe(true)
    expect(await entriesAbout(ctx, other?.id ?? '')).toEqual([
      expect.objectContaining({ event_type: 'session.ended', actor_id: user.id }),
    ])
    expect((await here.delete(`/sessions/${other?.id}`)).status).toBe(404)
    const [current] = rows.filter((row) => row.current)
    const own = await here.delete(`/sessions/${current?.id}`)
    expect([own.status, own.headers.get('set-cookie')?.startsWith('keyward_session=;')]).toEqual([204, true])
  })

  test('of two concurrent requests that end the own session one is 204, the other 401', async () => {
    const session = await signIn(service, ada.email)
    const rows = (await session.get('/sessions')).body.data as { id: string; current: boolean }[]
    const id = rows.find(({ current }) => current)?.id
    const answers = await raceFor(
      ctx.db,
      (tx) => tx`select 1 from sessions for update`,
      () => session.delete(`/sessions/${id}`),
      () => session.at(replica).delete(`/sessions/${id?.toUpperCase()}`),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 401])
  })

  test('an id in upper case names the own session, too', async () => {
    const session = await signIn(service, ada.email)
    const rows = (await session.get('/sessions')).body.data as { id: string; current: boolean }[]
    const id = rows.find(({ current }) => current)?.id ?? ''
    const { status, headers } = await session.delete(`/sessions/${id.toUpperCase()}`)
    expect([status, headers.get('set-cookie')?.startsWith('keyward_session=;')]).toEqual([204, true])
    expect(await entriesAbout(ctx, id)).toEqual([expect.objectContaining({ description: 'Signed out.' })])
  })

  test("is 404 for another user's session, an unknown and a malformed id; 401 without a session", async () => {
    const email = newEmail()
    await register(service, { email })
    const mine = await signIn(service, email)
    const theirs = await signIn(service, ada.email)
    const rows = (await theirs.get('/sessions')).body.data as { id: string; current: boolean }[]
    const id = rows.find(({ current }) => current)?.id
    for (const wrong of [id, randomUUID(), 'nonsense']) {
      const { status, body } = await mine.delete(`/sessions/${wrong}`)
      expect([status, body]).toEqual([404, { error: 'Session not found.' }])
    }
    expect(await isAlive(theirs)).toBe(true)
    expect((await browser(service, '').delete(`/sessions/${id}`)).status).toBe(401)
  })
})

describe('A user has at most fifty sessions', () => {
  const sessionsOf = (userId: string) =>
    ctx.db<{ id: string }[]>`select id from sessions where user_id = ${userId} order by created_at, id`

  test('the 51st ends the oldest of the user, and writes an audit entry', async () => {
    const email = newEmail()
    const { user } = (await register(service, { email })).body
    const other = await signIn(service, ada.email)
    const all: Browser[] = []
    for (let i = 0; i < 50; i++, ctx.clock.advance(1)) all.push(await signIn(service, email))
    const [first, second] = all as [Browser, Browser]
    expect(await isAlive(first)).toBe(true)
    const [oldest] = await sessionsOf(user.id)
    const newest = await signIn(service, email)
    expect(await isAlive(first)).toBe(false)
    for (const alive of [second, newest, other]) expect(await isAlive(alive)).toBe(true)
    expect(await sessionsOf(user.id)).toHaveLength(50)
    expect(await entriesAbout(ctx, oldest?.id ?? '')).toEqual([
      expect.objectContaining({
        event_type: 'session.ended',
        actor_id: user.id,
        description: 'Session ended: the account has 50 newer ones.',
      }),
    ])
  })

  test('concurrent sign-ins at two replicas leave fifty, and every response is a 200', async () => {
    const email = newEmail()
    const { user } = (await register(service, { email })).body
    for (let i = 0; i < 49; i++) await signIn(service, email)
    const signIns = Array.from({ length: 12 }, (_, i) => login(i % 2 ? service : replica, email))
    expect((await Promise.all(signIns)).map(({ status }) => status)).toEqual(Array(12).fill(200))
    expect(await sessionsOf(user.id)).toHaveLength(50)
  })

  test('expired sessions don’t count, and are deleted at the next sign-in', async () => {
    const email = newEmail()
    const { user } = (await register(service, { email })).body
    for (let i = 0; i < 3; i++) await signIn(service, email)
    ctx.clock.advance(8 * DAY)
    await signIn(service, email)
    expect(await sessionsOf(user.id)).toHaveLength(1)
    expect(
      await ctx.db`select 1 from audit_entries where event_type = 'session.ended' and actor_id = ${user.id}`,
    ).toHaveLength(0)
  })
})

test('a session has at most fifty tokens and keeps the newest, also with concurrent requests', async () => {
  const email = newEmail()
  const { user } = (await register(service, { email })).body
  const session = await signIn(service, email)
  for (let i = 0; i < 48; i++) await session.post('/session')
  ctx.clock.advance(1)
  const newest = await Promise.all(
    Array.from({ length: 10 }, (_, i) => session.at(i % 2 ? service : replica).post('/session')),
  )
  const bearers = await ctx.db`
    select 1 from session_tokens b join sessions s on s.id = b.session_id where s.user_id = ${user.id}`
  expect(bearers).toHaveLength(50)
  for (const { body } of newest) {
    expect((await service.as(body.accessToken).get('/v1/me')).status).toBe(200)
  }
})

describe('When the clock was far ahead and is set right', () => {
  const AHEAD = 365 * DAY

  test('sessions and session tokens of that time are refused, not listed, and deleted at the next sign-in', async () => {
    const email = newEmail()
    const { user } = (await register(service, { email })).body
    ctx.clock.advance(AHEAD)
    const ahead = await signIn(service, email)
    expect(await isAlive(ahead)).toBe(true)
    ctx.clock.advance(-AHEAD)
    expect(await isAlive(ahead)).toBe(false)
    const now = await signIn(service, email)
    expect(await isAlive(now)).toBe(true)
    expect((await now.get('/sessions')).body.data).toHaveLength(1)
    expect(await ctx.db`select 1 from sessions where user_id = ${user.id}`).toHaveLength(1)
  })

  test('a session token of that time is refused, its older session goes on', async () => {
    const session = await signIn(service, ada.email)
    ctx.clock.advance(6 * DAY)
    const { body } = await session.post('/session')
    ctx.clock.advance(-6 * DAY)
    expect((await service.as(body.accessToken).get('/v1/me')).status).toBe(401)
    expect((await session.post('/session')).status).toBe(200)
  })

  test('a last use of that time is overwritten, so that seven idle days still end a session', async () => {
    const session = await signIn(service, ada.email)
    ctx.clock.advance(6 * DAY)
    await session.post('/session')
    ctx.clock.advance(-6 * DAY)
    const lastUsedAt = async () => {
      const rows = (await session.get('/sessions')).body.data as { current: boolean; lastUsedAt: string }[]
      return rows.find(({ current }) => current)?.lastUsedAt
    }
    const now = ctx.clock.now().toISOString()
    await eventually('the use is written over', async () => (await lastUsedAt()) === now)
    ctx.clock.advance(7 * DAY)
    expect((await session.post('/session')).status).toBe(401)
  })

  test('clocks of replicas may differ by some minutes', async () => {
    const session = await signIn(service, ada.email)
    ctx.clock.advance(-299)
    expect(await isAlive(session)).toBe(true)
    ctx.clock.advance(299)
  })
})

test('removal ends all sessions of a member; after a new sign-in the user has no organisation', async () => {
  const email = newEmail()
  const { user } = (await register(service, { email })).body
  const admin = await member(ctx, 'admin')
  const session = await signIn(service, email)
  const role = await roleOf(ctx, 'developer')
  const membership = { organisationId: role.organisation_id, userId: user.id, role }
  await ctx.db.begin((tx) => addMember(ctx, tx, membership))
  expect((await service.as(session.token).get('/v1/roles')).status).toBe(200)
  const { id } = (await service.as(session.token).get('/v1/me')).body
  expect((await service.as(admin.token).delete(`/v1/members/${id}`)).status).toBe(204)
  expect(await isAlive(session)).toBe(false)
  const again = await signIn(service, email)
  expect((await replica.as(again.token).get('/v1/roles')).status).toBe(403)
  expect((await replica.as(again.token).get('/v1/me')).body).toMatchObject({
    id: user.id,
    organisation: null,
  })
})
