import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { linkToken } from '../../../src/core/links/link.ts'
import { createOrganisation } from '../../../src/core/organisations/creation.ts'
import { type Database, openDatabase } from '../../../src/platform/postgres/database.ts'
import { createChangeLimiter } from '../../../src/platform/postgres/limiters.ts'
import { type Answer, api } from '../../support/api.ts'
import { entriesAbout } from '../../support/audit-entries.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { jobCalled, lastLink, runJobs } from '../../support/jobs.ts'
import { owner, type Person, roleOf, session, user } from '../../support/people.ts'
import { raceFor } from '../../support/races.ts'

const ACCEPT = '/service/auth/invites/accept/'
const LOOKUP = '/service/auth/invites/lookup/'
const REGISTER = '/service/auth/password/register/'
const SMTP = { SMTP_HOST: 'mail.example.org', SMTP_FROM: 'keyward@example.org' }

let ctx: TestContext
let ada: Person & { organisationId: string }
let service: ReturnType<typeof api>

beforeAll(async () => {
  ctx = await testContext()
  service = api(ctx)
  ada = await owner(ctx)
})
afterAll(() => ctx.close())

/** An invite to an address that has no account. */
async function invite(roleId?: string) {
  const email = `${randomUUID()}@example.org`
  const role_id = roleId ?? (await roleOf(ctx, 'developer')).id
  const { body } = await service.as(ada.token).post('/v1/members/invites', { email, role_id })
  return { id: body.id as string, email, token: body.inviteUrl.split('#')[1] as string }
}
/** An invite and somebody signed in whose address it is for. */
async function invited(roleId?: string) {
  const made = await invite(roleId)
  const userId = await user(ctx, made.email)
  return { ...made, userId, bearer: await session(ctx, userId) }
}
const accept = (token: string, bearer: string): Promise<Answer> => service.as(bearer).post(ACCEPT, { token })
const flipped = (token: string) => token.slice(0, -2) + (token.at(-2) === 'A' ? 'B' : 'A') + token.slice(-1)

/** Tokens that are no live invite's, each for a reason of its own. */
async function deadTokens(): Promise<[string, string][]> {
  const [good, used, cancelled] = [await invited(), await invited(), await invited()]
  await accept(used.token, used.bearer)
  await service.as(ada.token).delete(`/v1/members/invites/${cancelled.id}`)
  const [row] = await ctx.db<{ id: string; nonce: Buffer }[]>`
    select id, nonce from invites where id = ${good.id}`
  if (row === undefined) throw new Error('the invite is not there')
  return [
    ['malformed', 'x'],
    ['unknown', linkToken(ctx, 'invite', { id: randomUUID(), nonce: row.nonce })],
    ['with another MAC', flipped(good.token)],
    ['of another purpose', linkToken(ctx, 'reset-password', row)],
    ['used', used.token],
    ['cancelled', cancelled.token],
  ]
}

describe('POST /service/auth/invites/lookup', () => {
  test('tells anybody with the link whom it invites and where to', async () => {
    const { email, token } = await invited()
    const { status, body } = await service.anonymous.post(LOOKUP, { token })
    expect(body).toEqual({ email, organisation: { id: ada.organisationId, name: 'My organisation' } })
    expect(status).toBe(200)
  })

  test('is 404 for every token that is no live invite’s', async () => {
    for (const [what, token] of await deadTokens()) {
      expect([what, await service.anonymous.post(LOOKUP, { token })]).toMatchObject([
        what,
        { status: 404, body: { error: 'Invite not found.' } },
      ])
    }
    const { token } = await invited()
    ctx.clock.advance(14 * 24 * 3600)
    expect((await service.anonymous.post(LOOKUP, { token })).status).toBe(404)
  })

  test.each([
    [{}],
    [{ token: 5 }],
    [{ token: '' }],
    [{ token: 'x', email: 'y' }],
    [{ token: 'x'.repeat(201) }],
  ])('refuses %j', async (input) => {
    expect((await service.anonymous.post(LOOKUP, input)).status).toBe(400)
  })

  test('is for the service’s own pages, and JSON alone', async () => {
    const { token } = await invited()
    const body = JSON.stringify({ token })
    const foreign = { 'content-type': 'application/json', origin: 'https://evil.example' }
    expect((await service.anonymous.send('POST', LOOKUP, { body, headers: foreign })).status).toBe(403)
    const form = { 'content-type': 'text/plain' }
    expect((await service.anonymous.send('POST', LOOKUP, { body, headers: form })).status).toBe(415)
  })
})

describe('POST /service/auth/invites/accept', () => {
  test('is 400 without a token, and leaves the invite as it is', async () => {
    const { token, bearer } = await invited()
    expect((await service.as(bearer).post(ACCEPT, {})).status).toBe(400)
    expect((await accept(token, bearer)).status).toBe(200)
  })

  test('makes the account a member with the role, keys and an audit entry', async () => {
    const { id, email, token, userId, bearer } = await invited()
    const { status, body } = await accept(token, bearer)
    const role = { id: (await roleOf(ctx, 'developer')).id, name: 'Developer' }
    expect(body).toEqual({
      member: {
        id: expect.any(String),
        username: email,
        fullName: 'Ada Example',
        email,
        role,
        createdAt: ctx.clock.now().toISOString(),
        updatedAt: ctx.clock.now().toISOString(),
      },
      organisation: { id: ada.organisationId, name: 'My organisation', plan: 'enterprise' },
    })
    expect(status).toBe(200)
    expect((await service.as(bearer).get('/v1/me')).body).toMatchObject({ id: body.member.id, userId })
    expect((await entriesAbout(ctx, id)).filter((entry) => entry.event_type === 'invite.accepted')).toEqual([
      {
        event_type: 'invite.accepted',
        resource_type: 'invite',
        actor_id: body.member.id,
        resource_metadata: {},
        old_values: null,
        new_values: { memberId: body.member.id, role },
        description: 'Invite to the role "Developer" accepted.',
      },
    ])
  })

  test('is 401 without a session, also with an access token', async () => {
    const { token } = await invited()
    expect((await service.anonymous.post(ACCEPT, { token })).status).toBe(401)
    expect((await accept(token, ada.token)).status).toBe(401)
  })

  test('is 404 for every token that is no live invite’s', async () => {
    const { bearer } = await invited()
    for (const [what, token] of await deadTokens()) {
      expect([what, await accept(token, bearer)]).toMatchObject([what, { status: 404 }])
    }
  })

  test('is 403 for an account with another address, and leaves the invite as it is', async () => {
    const [one, other] = [await invited(), await invited()]
    expect(await accept(one.token, other.bearer)).toMatchObject({
      status: 403,
      body: {
        error:
          'This invite is for another e-mail address. Use the account of the address that it was sent to.',
      },
    })
    expect((await accept(one.token, one.bearer)).status).toBe(200)
  })

  test('is 409 for somebody who has come to belong to an organisation meanwhile', async () => {
    const { token, bearer, userId } = await invited()
    const elsewhere = await ctx.db.begin((tx) => createOrganisation(ctx, tx, userId, 'Elsewhere'))
    expect(await accept(token, bearer)).toMatchObject({
      status: 409,
      body: { error: 'You are already a member of an organisation.' },
    })
    expect(await ctx.db`select 1 from members where user_id = ${userId}`).toHaveLength(1)
    // The tests' people look for roles by their kind alone.
    await ctx.db`update roles set kind = 'custom', permissions = '{}' where organisation_id = ${elsewhere.organisationId} and kind = 'developer'`
  })

  test('accepted twice at once it is 200 and 404, and one membership', async () => {
    for (let round = 0; round < 8; round++) {
      const { token, bearer, userId } = await invited()
      const other = api(ctx)
      const answers = await Promise.all([
        accept(token, bearer),
        other.as(bearer).post(ACCEPT, { token }),
        accept(token, bearer),
      ])
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404])
      expect(await ctx.db`select 1 from members where user_id = ${userId}`).toHaveLength(1)
    }
  })

  test('beside its cancelling exactly one of the two happens', async () => {
    for (let round = 0; round < 8; round++) {
      const { id, token, bearer } = await invited()
      const [accepted, cancelled] = await Promise.all([
        accept(token, bearer),
        api(ctx).as(ada.token).delete(`/v1/members/invites/${id}`),
      ])
      expect([
        [200, 404],
        [404, 204],
      ]).toContainEqual([accepted.status, cancelled.status])
    }
  })

  test('beside the deletion of its role: the role is held before, beside and after', async () => {
    const permissions = { permissions: {}, app_permissions: {} }
    for (let round = 0; round < 8; round++) {
      const role = await service.as(ada.token).post('/v1/roles', { name: randomUUID(), permissions })
      const { token, bearer } = await invited(role.body.id)
      const [accepted, deleted] = await Promise.all([
        accept(token, bearer),
        api(ctx).as(ada.token).delete(`/v1/roles/${role.body.id}`),
      ])
      expect([accepted.status, deleted.status]).toEqual([200, 409])
    }
  })
})

describe('A registration with an invite', () => {
  let replica: ReturnType<typeof api>
  let pool: Database
  beforeAll(() => {
    pool = openDatabase(ctx.database.config)
    replica = api({ ...ctx, db: pool, limitChanges: createChangeLimiter(pool) })
  })
  afterAll(() => pool.end())

  const register = (client: ReturnType<typeof api>, email: string, invite?: string) =>
    client.anonymous.post(REGISTER, { email, password: 'correct horse', full_name: 'Grace', invite })

  test('joins at once, and the audit log tells who accepted', async () => {
    const { id, email, token } = await invite()
    const { status, body } = await register(service, email.toUpperCase(), token)
    expect(status).toBe(201)
    expect(body).toMatchObject({ member: { role: { name: 'Developer' } }, verificationRequired: false })
    const entries = await entriesAbout(ctx, id)
    expect(entries.find((entry) => entry.event_type === 'invite.accepted')?.actor_id).toBe(body.member.id)
  })

  test('is 403 with an invite for another address and 404 with a dead one, and leaves no account', async () => {
    const { email, token } = await invite()
    expect((await register(service, 'someone.else@example.org', token)).status).toBe(403)
    expect((await register(service, email, flipped(token))).status).toBe(404)
    expect((await register(service, email, token)).status).toBe(201)
  })

  test('made twice with one invite is 201 and 404, one after the other and at once', async () => {
    const one = await invite()
    expect((await register(service, one.email, one.token)).status).toBe(201)
    expect(await register(service, one.email, one.token)).toMatchObject({
      status: 404,
      body: { error: 'Invite not found.' },
    })
    const race = async (round: number) => {
      const { email, token } = await invite()
      const answers = await Promise.all([
        register(service, email, token),
        // Begun at another point of the first each time.
        Bun.sleep(round % 20).then(() => register(replica, email, token)),
      ])
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 404])
    }
    for (let round = 0; round < 200; round += 4) {
      await Promise.all([0, 1, 2, 3].map((beside) => race(round + beside)))
    }
  }, 120_000)

  test('that wait for the organisation together are 201 and 404', async () => {
    const { email, token } = await invite()
    const answers = await raceFor(
      ctx.db,
      (tx) => tx`select 1 from organisations for update`,
      () => register(service, email, token),
      () => register(replica, email, token),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 404])
  })

  test('tells nobody without a live invite that an address has an account', async () => {
    const { email, token } = await invited()
    expect((await register(service, email, token)).status).toBe(409)
    expect((await register(service, email, flipped(token))).status).toBe(404)
    expect((await register(service, email, (await invited()).token)).status).toBe(403)
  })

  test('beside the cancelling of its invite exactly one of the two happens', async () => {
    for (let round = 0; round < 8; round++) {
      const { id, email, token } = await invite()
      const [registered, cancelled] = await Promise.all([
        register(replica, email, token),
        Bun.sleep(round * 2).then(() => service.as(ada.token).delete(`/v1/members/invites/${id}`)),
      ])
      expect([
        [201, 404],
        [404, 204],
      ]).toContainEqual([registered.status, cancelled.status])
      const accounts = await ctx.db`select 1 from users where email = ${email}`
      expect(accounts).toHaveLength(registered.status === 201 ? 1 : 0)
    }
  })

  test('beside one without it for the same address is 201 or 409', async () => {
    for (let round = 0; round < 20; round++) {
      const { email, token } = await invite()
      const answers = await Promise.all([
        Bun.sleep(round % 5).then(() => register(service, email, token)),
        Bun.sleep(2).then(() => register(replica, email)),
      ])
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409])
    }
  })
})

describe('Where a mail gateway is configured', () => {
  let mailing: TestContext
  let owning: Person
  let client: ReturnType<typeof api>
  beforeAll(async () => {
    mailing = await testContext(SMTP)
    client = api(mailing)
    owning = await owner(mailing)
  })
  afterAll(() => mailing.close())

  const sentTo = (email: string) => mailing.mailer.sent.filter(({ to }) => to === email)
  const inviting = async (email: string) => {
    const role_id = (await roleOf(mailing, 'developer')).id
    return client.as(owning.token).post('/v1/members/invites', { email, role_id })
  }

  test('the link is mailed to the address and shown to nobody', async () => {
    const made = await inviting('grace@example.org')
    expect(made.body).toMatchObject({ inviteeEmail: 'grace@example.org', inviteUrl: null })
    expect((await client.as(owning.token).get('/v1/members/invites')).body.data[0].inviteUrl).toBeNull()
    expect(mailing.mailer.sent).toHaveLength(0)
    expect(await runJobs(mailing)).toEqual(['send-invite'])
    const { to, url, token } = lastLink(mailing)
    expect([to, url]).toEqual(['grace@example.org', 'http://localhost/invite'])
    expect((await client.anonymous.post(LOOKUP, { token })).body.email).toBe('grace@example.org')
  })

  test('the job holds the invite’s id alone, and a retry carries the same link', async () => {
    const { body } = await inviting('retry@example.org')
    const [job] = await mailing.db`select data from pgboss.job where name = 'send-invite'`
    expect(job?.data).toEqual({ inviteId: body.id })
    await runJobs(mailing)
    const first = lastLink(mailing)
    await jobCalled(mailing, 'send-invite').run(
      { inviteId: body.id },
      new AbortController().signal,
      randomUUID(),
    )
    expect(lastLink(mailing)).toEqual(first)
  })

  test('nothing is mailed for an invite that was cancelled or has expired meanwhile', async () => {
    const before = mailing.mailer.sent.length
    const cancelled = await inviting('cancelled@example.org')
    await client.as(owning.token).delete(`/v1/members/invites/${cancelled.body.id}`)
    await runJobs(mailing)
    await inviting('late@example.org')
    mailing.clock.advance(14 * 24 * 3600)
    await runJobs(mailing)
    expect(mailing.mailer.sent).toHaveLength(before)
  })

  test('a refused invite enqueues nothing', async () => {
    await inviting('twice@example.org')
    expect((await inviting('twice@example.org')).status).toBe(409)
    expect(await runJobs(mailing)).toEqual(['send-invite'])
  })

  test('following the link verifies the address, and no other mail is sent to it', async () => {
    await inviting('ellen@example.org')
    await runJobs(mailing)
    const { token } = lastLink(mailing)
    const body = { email: 'ellen@example.org', password: 'correct horse', invite: token }
    expect((await client.anonymous.post(REGISTER, body)).body).toMatchObject({ verificationRequired: false })
    expect(await runJobs(mailing)).toEqual(['send-notice'])
    expect(sentTo('ellen@example.org')).toHaveLength(1)
    const login = { email: 'ellen@example.org', password: 'correct horse' }
    expect((await client.anonymous.post('/service/auth/password/login/', login)).status).toBe(200)
  })

  test('accepting while signed in verifies the address of an account that never had to', async () => {
    await inviting('old@example.org')
    await runJobs(mailing)
    const { token } = lastLink(mailing)
    const userId = await user(mailing, 'old@example.org')
    await mailing.db`update users set email_verified_at = null where id = ${userId}`
    const bearer = await session(mailing, userId)
    expect((await client.as(bearer).post(ACCEPT, { token })).status).toBe(200)
    const [account] = await mailing.db`select email_verified_at from users where id = ${userId}`
    expect(account?.email_verified_at).toEqual(mailing.clock.now())
    const about = (await entriesAbout(mailing, userId)).map((entry) => entry.event_type)
    expect(about).toEqual(['user.email_verified'])
    await runJobs(mailing)
  })
})

test('without a mail gateway accepting proves no address', async () => {
  const { token, bearer, userId } = await invited()
  await ctx.db`update users set email_verified_at = null where id = ${userId}`
  expect((await accept(token, bearer)).status).toBe(200)
  const [account] = await ctx.db`select email_verified_at from users where id = ${userId}`
  expect(account?.email_verified_at).toBeNull()
})
