import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Actor } from '../../../src/core/actor.ts'
import { authenticate } from '../../../src/core/authentication/authenticate.ts'
import { addMember } from '../../../src/core/members/addition.ts'
import * as tokens from '../../../src/core/tokens/tokens.ts'
import { api } from '../../support/api.ts'
import { entriesAbout, trailAsText } from '../../support/audit-entries.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { lastLink, runJobs } from '../../support/jobs.ts'
import { member, owner, roleOf, serviceAccount } from '../../support/people.ts'
import { newEmail, PASSWORD, register, signIn } from '../../support/sign-in.ts'
import { countStatements } from '../../support/statements.ts'
import { addTokens } from '../../support/tokens.ts'

const NEW_PASSWORD = 'another passphrase'

let ctx: TestContext
let service: ReturnType<typeof api>

beforeAll(async () => {
  ctx = await testContext({
    RATE_LIMIT_AUTH: 'off',
    SMTP_HOST: 'mail.example.org',
    SMTP_FROM: 'keyward@example.org',
  })
  service = api(ctx)
  await owner(ctx)
})
afterAll(() => ctx.close())

/** A member, signed in, with two personal access tokens. */
async function somebody() {
  const email = newEmail()
  const { user } = (await register(service, { email })).body
  await runJobs(ctx)
  await service.anonymous.post('/service/auth/email/verify/', { token: lastLink(ctx).token })
  const role = await roleOf(ctx, 'developer')
  const membership = { organisationId: role.organisation_id, userId: user.id as string, role }
  const memberId = await ctx.db.begin((tx) => addMember(ctx, tx, membership))
  const session = await signIn(service, email)
  const create = async (name: string) =>
    (await service.as(session.token).post('/v1/tokens/', { name })).body as { id: string; token: string }
  return { email, userId: user.id as string, memberId, session, pats: [await create('a'), await create('b')] }
}

type Somebody = Awaited<ReturnType<typeof somebody>>

const change = ({ session }: Somebody, body: object) =>
  session.post('/password/change/', { current_password: PASSWORD, new_password: NEW_PASSWORD, ...body })

async function reset({ email }: Somebody, body: object) {
  await service.anonymous.post('/service/auth/password/forgot/', { email })
  await runJobs(ctx)
  const { token } = lastLink(ctx)
  return service.anonymous.post('/service/auth/password/reset/', {
    token,
    new_password: NEW_PASSWORD,
    ...body,
  })
}

const statuses = ({ pats }: Somebody) =>
  Promise.all(pats.map(async ({ token }) => (await service.as(token).get('/v1/me')).status))

describe.each([
  ['password/change/', change, 'user.password_changed', 'Password changed'],
  ['password/reset/', reset, 'user.password_reset', 'Password set with a link sent by mail'],
] as const)('POST /service/auth/%s', (_, act, eventType, what) => {
  const eventOf = async ({ userId }: Somebody) =>
    (await entriesAbout(ctx, userId)).find((entry) => entry.event_type === eventType)

  test.each([{}, { revoke_tokens: false }])('with %j leaves personal access tokens', async (body) => {
    const ada = await somebody()
    expect((await act(ada, body)).status).toBe(204)
    expect(await statuses(ada)).toEqual([200, 200])
    expect(await eventOf(ada)).toMatchObject({
      description: `${what}; all sessions ended.`,
      new_values: { revokedTokens: 0 },
    })
  })

  test('with revoke_tokens takes the person’s, and nobody else’s, with an entry for each', async () => {
    const [ada, grace] = [await somebody(), await somebody()]
    const robot = await serviceAccount(ctx, 'service')
    expect((await act(ada, { revoke_tokens: true })).status).toBe(204)
    expect(await statuses(ada)).toEqual([401, 401])
    expect(await statuses(grace)).toEqual([200, 200])
    expect((await service.as(robot.token).get('/v1/me')).status).toBe(200)
    expect(await eventOf(ada)).toMatchObject({
      description: `${what}; all sessions ended, personal access tokens revoked.`,
      new_values: { revokedTokens: 2 },
    })
    for (const [i, name] of ['a', 'b'].entries()) {
      const entries = await entriesAbout(ctx, ada.pats[i]?.id ?? '')
      expect(entries.map((entry) => entry.event_type)).toEqual(['token.created', 'token.deleted'])
      expect(entries[1]).toMatchObject({
        resource_type: 'token',
        actor_id: ada.memberId,
        old_values: { name, expiresAt: null },
        description: `Personal access token "${name}" deleted.`,
      })
    }
    expect(await trailAsText(ctx)).not.toContain('kw_')
  })

  test('with revoke_tokens sends as many statements however many tokens there are', async () => {
    const revokes = async (tokens: number) => {
      const ada = await somebody()
      await addTokens(ctx, ada.memberId, tokens, { name: 'live', createdAgo: 9, expiresIn: 600 })
      return countStatements(ctx, () => act(ada, { revoke_tokens: true }))
    }
    expect(await revokes(98)).toBe(await revokes(1))
  })

  test('with revoke_tokens deletes expired ones too, neither counted nor with an entry', async () => {
    const ada = await somebody()
    await addTokens(ctx, ada.memberId, 5000, { name: 'old', createdAgo: 9, expiresIn: 0 })
    expect((await act(ada, { revoke_tokens: true })).status).toBe(204)
    expect(await ctx.db`select 1 from tokens where principal_id = ${ada.memberId}`).toHaveLength(0)
    expect(await eventOf(ada)).toMatchObject({ new_values: { revokedTokens: 2 } })
    const entries = await ctx.db`
      select 1 from audit_entries where event_type = 'token.deleted' and actor_id = ${ada.memberId}`
    expect(entries).toHaveLength(2)
  })

  test('that is refused revokes nothing', async () => {
    const ada = await somebody()
    const wrong = { revoke_tokens: true, current_password: 'wrong', token: 'x' }
    expect([400, 403, 404]).toContain((await act(ada, wrong)).status)
    expect(await statuses(ada)).toEqual([200, 200])
  })

  test('leaves tokens where one of their entries cannot be written, and the password too', async () => {
    const ada = await somebody()
    await ctx.db`
      alter table audit_entries add constraint refuse_deletions check (event_type <> 'token.deleted') not valid`
    try {
      expect((await act(ada, { revoke_tokens: true })).status).toBe(500)
    } finally {
      await ctx.db`alter table audit_entries drop constraint refuse_deletions`
    }
    expect(await statuses(ada)).toEqual([200, 200])
    expect((await ada.session.get('/sessions')).status).toBe(200)
  })

  test('with revoke_tokens beside new tokens of the old session leaves none', async () => {
    for (let round = 0; round < 5; round++) {
      const ada = await somebody()
      const created = Array.from({ length: 4 }, (_, i) =>
        service.as(ada.session.token).post('/v1/tokens/', { name: `late ${i}` }),
      )
      const [done, ...answers] = await Promise.all([act(ada, { revoke_tokens: true }), ...created])
      expect(done?.status).toBe(204)
      for (const { status } of answers) expect([201, 401]).toContain(status)
      expect(await ctx.db`select 1 from tokens where principal_id = ${ada.memberId}`).toHaveLength(0)
    }
  })
})

test('a token is not created once the session has ended, however long ago the request was let in', async () => {
  const ada = await somebody()
  const source = { ipAddress: null, userAgent: null, requestId: 'late' }
  const caller = (await authenticate(ctx, `Bearer ${ada.session.token}`, source)) as Actor
  expect((await change(ada, { revoke_tokens: true })).status).toBe(204)
  const late = tokens.create(ctx, caller, { name: 'late' })
  expect(await late.catch((error) => error)).toMatchObject({ status: 401 })
  expect(await ctx.db`select 1 from tokens where principal_id = ${ada.memberId}`).toHaveLength(0)
})

test('beside the person’s removal from the organisation, neither ends in a circle of waiting', async () => {
  const admin = await member(ctx, 'admin')
  for (let round = 0; round < 8; round++) {
    const ada = await somebody()
    const [changed, removed] = await Promise.all([
      change(ada, { revoke_tokens: true }),
      service.as(admin.token).delete(`/v1/members/${ada.memberId}`),
    ])
    expect([204, 401]).toContain(changed.status)
    expect(removed.status).toBe(204)
    expect(await statuses(ada)).toEqual([401, 401])
  }
})

test.each([null, 'true', 1])('password/change/ refuses %j for revoke_tokens', async (revoke_tokens) => {
  expect((await change(await somebody(), { revoke_tokens })).status).toBe(400)
})
