import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { api } from '../../support/api.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { lastLink, runJobs } from '../../support/jobs.ts'
import { member, owner, type Person, roleOf, serviceAccount, session, user } from '../../support/people.ts'
import { newEmail, PASSWORD, register, signIn } from '../../support/sign-in.ts'
import { countStatements } from '../../support/statements.ts'

const SMTP = { SMTP_HOST: 'mail.example.org', SMTP_FROM: 'keyward@example.org', RATE_LIMIT_AUTH: 'off' }

let ctx: TestContext
let service: ReturnType<typeof api>
let ada: Person

beforeAll(async () => {
  ctx = await testContext(SMTP)
  service = api(ctx)
  ada = await owner(ctx, 'Example <b>Ltd</b>')
})
afterEach(() => runJobs(ctx))
afterAll(() => ctx.close())

const emailOf = async (userId: string): Promise<string> =>
  (await ctx.db`select email from users where id = ${userId}`)[0]?.email

/** Does the queued jobs; gives the mails that they sent, by address and subject. */
async function mailed(): Promise<{ to: string; subject: string; text: string }[]> {
  const before = ctx.mailer.sent.length
  const payloads =
    await ctx.db`select data::text from pgboss.job where state = 'created' and name = 'send-notice'`
  // A stored job names people by their ids.
  expect(JSON.stringify(payloads)).not.toContain('@')
  await runJobs(ctx)
  return ctx.mailer.sent.slice(before).map(({ to, subject, text }) => ({ to, subject, text }))
}

/** A member with a password, signed in. */
async function signedIn() {
  const email = newEmail()
  await register(service, { email })
  await runJobs(ctx)
  await service.anonymous.post('/service/auth/email/verify/', { token: lastLink(ctx).token })
  const invited = await service.as(ada.token).post('/v1/members/invites', {
    email,
    role_id: (await roleOf(ctx, 'developer')).id,
  })
  expect(invited.status).toBe(201)
  await runJobs(ctx)
  const browser = await signIn(service, email)
  const { token } = lastLink(ctx)
  const { member } = (await browser.post('/invites/accept/', { token })).body
  expect(member.email).toBe(email)
  await runJobs(ctx)
  return { email, browser }
}

test('a role that is changed again and again sends ten mails a day', async () => {
  const grace = await member(ctx, 'developer')
  const roles = [(await roleOf(ctx, 'manager')).id, (await roleOf(ctx, 'developer')).id]
  const change = async (round: number) => {
    const { status } = await service
      .as(ada.token)
      .put(`/v1/members/${grace.id}`, { role_id: roles[round % 2] })
    expect(status).toBe(200)
  }
  for (let round = 0; round < 12; round++) await change(round)
  expect(await mailed()).toHaveLength(10)
  ctx.clock.advance(24 * 3600)
  await change(12)
  expect(await mailed()).toHaveLength(1)
})

describe('One mail tells of each change', () => {
  test('of a role, with the name of the new one', async () => {
    const grace = await member(ctx, 'developer')
    const manager = (await roleOf(ctx, 'manager')).id
    const path = `/v1/members/${grace.id}`
    expect((await service.as(ada.token).put(path, { role_id: manager })).status).toBe(200)
    const mails = await mailed()
    expect(mails).toMatchObject([{ to: await emailOf(grace.userId), subject: 'Your role was changed' }])
    expect(mails[0]?.text).toContain('Your role is now “Manager”.')
    // The role already held is no change, and a refused one is none.
    expect((await service.as(ada.token).unrecorded.put(path, { role_id: manager })).status).toBe(200)
    const own = await service.as(grace.token).put(path, { role_id: manager })
    expect(own.status).toBe(403)
    expect(await mailed()).toEqual([])
  })

  test('of a removal, with the name of the organisation', async () => {
    const grace = await member(ctx, 'developer')
    expect((await service.as(ada.token).delete(`/v1/members/${grace.id}`)).status).toBe(204)
    expect(await mailed()).toMatchObject([
      {
        to: await emailOf(grace.userId),
        subject: 'You are no longer a member of “Example <b>Ltd</b>”',
        text: expect.stringContaining('You were removed from “Example <b>Ltd</b>”.'),
      },
    ])
    expect((await service.as(ada.token).delete(`/v1/members/${grace.id}`)).status).toBe(404)
    expect(await mailed()).toEqual([])
  })

  test('of a changed password, to its account', async () => {
    const { email, browser } = await signedIn()
    const wrong = { current_password: 'not this one', new_password: 'battery staple' }
    expect((await browser.post('/password/change/', wrong)).status).toBe(403)
    expect(await mailed()).toEqual([])
    const right = { current_password: PASSWORD, new_password: 'battery staple' }
    expect((await browser.post('/password/change/', right)).status).toBe(204)
    expect(await mailed()).toMatchObject([{ to: email, subject: 'Your password was changed' }])
  })

  test('of members come before those of strangers, who may have many accounts', async () => {
    const member = await signedIn()
    const stranger = newEmail()
    await register(service, { email: stranger })
    await runJobs(ctx)
    await service.anonymous.post('/service/auth/email/verify/', { token: lastLink(ctx).token })
    const change = { current_password: PASSWORD, new_password: 'battery staple' }
    for (const browser of [await signIn(service, stranger), member.browser]) {
      expect((await browser.post('/password/change/', change)).status).toBe(204)
    }
    expect((await mailed()).map(({ to }) => to)).toEqual([member.email, stranger])
  })

  test('of a password that was set by a link, to its account', async () => {
    const { email } = await signedIn()
    await service.anonymous.post('/service/auth/password/forgot/', { email })
    await runJobs(ctx)
    const reset = { token: lastLink(ctx).token, new_password: 'battery staple' }
    expect((await service.anonymous.post('/service/auth/password/reset/', reset)).status).toBe(204)
    expect(await mailed()).toMatchObject([{ to: email, subject: 'Your password was changed' }])
    expect((await service.anonymous.post('/service/auth/password/reset/', reset)).status).toBe(404)
    expect(await mailed()).toEqual([])
  })
})

describe('An accepted invite is told to who sent it', () => {
  const invite = async (token: string, email: string) => {
    const role_id = (await roleOf(ctx, 'developer')).id
    expect((await service.as(token).post('/v1/members/invites', { email, role_id })).status).toBe(201)
    await runJobs(ctx)
    return lastLink(ctx).token
  }

  test('by an existing account, with its name, address and role', async () => {
    const email = `${randomUUID()}@example.org`
    const token = await invite(ada.token, email)
    const bearer = await session(ctx, await user(ctx, email))
    expect((await service.as(bearer).post('/service/auth/invites/accept/', { token })).status).toBe(200)
    const mails = await mailed()
    expect(mails).toMatchObject([{ to: await emailOf(ada.userId), subject: 'Your invite was accepted' }])
    expect(mails[0]?.text).toContain(
      `“Ada Example” (${email}) accepted your invite and now has the role “Developer”.`,
    )
  })

  test('by a new account, whose name is shown as it was typed, on one line', async () => {
    const email = newEmail()
    const token = await invite(ada.token, email)
    const full_name = 'Grace”. Set a new password at evil.example'
    expect((await register(service, { email, invite: token, full_name })).status).toBe(201)
    const mails = await mailed()
    expect(mails.map(({ subject }) => subject)).toEqual(['Your invite was accepted'])
    expect(mails[0]?.text).toContain(
      `“Grace". Set a new password at evil.example” (${email}) accepted your invite`,
    )
  })

  test('but not to a service account, nor of an acceptance that is refused', async () => {
    const email = `${randomUUID()}@example.org`
    const robot = await serviceAccount(ctx, 'manager')
    const token = await invite(robot.token, email)
    const stranger = await session(ctx, await user(ctx))
    expect((await service.as(stranger).post('/service/auth/invites/accept/', { token })).status).toBe(403)
    const bearer = await session(ctx, await user(ctx, email))
    expect((await service.as(bearer).post('/service/auth/invites/accept/', { token })).status).toBe(200)
    expect(await mailed()).toEqual([])
  })
})

test('a transfer of the ownership is told to both, with the name of the organisation', async () => {
  const other = await testContext(SMTP)
  const client = api(other)
  const email = newEmail()
  // The first account needs no verification, and is the Owner.
  await register(client, { email, organisation_name: 'Example Ltd' })
  const browser = await signIn(client, email)
  const grace = await member(other, 'admin')
  expect((await browser.post('/ownership/transfer/', { member_id: grace.id })).status).toBe(204)
  expect(await runJobs(other)).toEqual(['send-notice', 'send-notice'])
  const [received] = await other.db`select email from users where id = ${grace.userId}`
  expect(new Map(other.mailer.sent.map(({ to, subject }) => [to, subject]))).toEqual(
    new Map([
      [received?.email, 'You are the Owner of “Example Ltd”'],
      [email, 'You are no longer the Owner of “Example Ltd”'],
    ]),
  )
  await other.close()
})

test('a change that fails at the end tells nobody', async () => {
  const grace = await member(ctx, 'developer')
  await ctx.db`create or replace function refuse() returns trigger language plpgsql as $$ begin raise 'no'; end $$`
  await ctx.db`create constraint trigger refuse after insert on audit_entries deferrable initially deferred for each row execute function refuse()`
  const role_id = (await roleOf(ctx, 'manager')).id
  const { status } = await service.as(ada.token).put(`/v1/members/${grace.id}`, { role_id })
  await ctx.db`drop trigger refuse on audit_entries`
  expect(status).toBe(500)
  expect(await mailed()).toEqual([])
})

test('without a mail gateway nothing is queued, and no statement is added', async () => {
  const without = await testContext()
  const client = api(without)
  const founder = await owner(without)
  const grace = await member(without, 'developer')
  const put = async (kind: 'manager' | 'developer') => {
    const role_id = (await roleOf(without, kind)).id
    return countStatements(without, () =>
      client.as(founder.token).put(`/v1/members/${grace.id}`, { role_id }),
    )
  }
  await put('manager')
  expect(await put('developer')).toBe(STATEMENTS_OF_A_CHANGE_OF_ROLE)
  expect(await without.db`select 1 from pgboss.job`).toHaveLength(0)
  await without.close()
})

const STATEMENTS_OF_A_CHANGE_OF_ROLE = 10
