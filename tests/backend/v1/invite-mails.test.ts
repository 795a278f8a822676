import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { FIRST_INVITE_MAILS } from '../../../src/core/invites/mail-limits.ts'
import { api } from '../../support/api.ts'
import { entriesAbout, trailAsText } from '../../support/audit-entries.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { lastLink, runJobs } from '../../support/jobs.ts'
import { member, owner, type Person, roleOf, session, user } from '../../support/people.ts'

const PATH = '/v1/members/invites'
const DAY = 24 * 3600
const SMTP = { SMTP_HOST: 'mail.example.org', SMTP_FROM: 'keyward@example.org' }

let ctx: TestContext
let service: ReturnType<typeof api>
let ada: Person
let developer: string

beforeAll(async () => {
  ctx = await testContext(SMTP)
  service = api(ctx)
  ada = await owner(ctx)
  developer = (await roleOf(ctx, 'developer')).id
})
afterEach(() => runJobs(ctx))
afterAll(() => ctx.close())

const address = () => `${randomUUID()}@example.org`
const invite = (email = address()) => service.as(ada.token).post(PATH, { email, role_id: developer })
const cancel = (id: string) => service.as(ada.token).delete(`${PATH}/${id}`)
const resend = (id: string, token = ada.token, client = service) =>
  client.as(token).post(`${PATH}/${id}/resend`, {})
const mailsTo = (email: string) => ctx.mailer.sent.filter(({ to }) => to === email)

describe('POST /v1/members/invites/:id/resend', () => {
  test('mails the same link again, which ends when it would have ended, and writes an audit entry', async () => {
    const { body } = await invite()
    await runJobs(ctx)
    const first = lastLink(ctx)
    ctx.clock.advance(60)
    expect(await resend(body.id)).toMatchObject({ status: 204, body: '' })
    expect(await runJobs(ctx)).toEqual(['send-invite'])
    expect(lastLink(ctx)).toEqual(first)
    // Another mail, not the first one sent twice: mail programs must not hide it.
    expect(new Set(mailsTo(body.inviteeEmail).map(({ id }) => id)).size).toBe(2)
    const listed = (await service.as(ada.token).get(PATH)).body.data
    expect(listed).toContainEqual(body)
    expect((await entriesAbout(ctx, body.id)).map(({ event_type }) => event_type).sort()).toEqual([
      'invite.created',
      'invite.resent',
    ])
    expect(await trailAsText(ctx)).not.toContain('@example.org')
  })

  test('is 401, 403 and 404 in that order, also for one that was cancelled, accepted or has expired', async () => {
    const { body } = await invite()
    const reader = await member(ctx, 'developer')
    expect((await service.anonymous.post(`${PATH}/${body.id}/resend`, {})).status).toBe(401)
    expect(await resend(body.id, reader.token)).toMatchObject({
      status: 403,
      body: { error: "You don't have permission to create members." },
    })
    for (const id of [randomUUID(), 'x']) expect((await resend(id)).status).toBe(404)
    await cancel(body.id)
    expect(await resend(body.id)).toMatchObject({ status: 404, body: { error: 'Invite not found.' } })
    const accepted = await invite()
    await runJobs(ctx)
    const bearer = await session(ctx, await user(ctx, accepted.body.inviteeEmail))
    const { token } = lastLink(ctx)
    expect((await service.as(bearer).post('/service/auth/invites/accept/', { token })).status).toBe(200)
    expect((await resend(accepted.body.id)).status).toBe(404)
    const late = await invite()
    ctx.clock.advance(14 * DAY)
    expect((await resend(late.body.id)).status).toBe(404)
  })

  test('is 400 with a field, and takes an empty body as well as {}', async () => {
    const { body } = await invite()
    const path = `${PATH}/${body.id}/resend`
    expect((await service.as(ada.token).post(path, { email: 'eve@example.org' })).status).toBe(400)
  })

  test('mails one invite again at most once a minute, however many ask at once', async () => {
    const { body } = await invite()
    await runJobs(ctx)
    const replica = api(ctx)
    const answers = await Promise.all(
      [service, replica, service, replica].map((client) => resend(body.id, ada.token, client)),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 429, 429, 429])
    const refused = answers.find(({ status }) => status === 429)
    expect(refused?.body.error).toBe('This invite was mailed again less than a minute ago. Try again later.')
    expect(Number(refused?.headers.get('retry-after'))).toBeWithin(1, 61)
    expect(await runJobs(ctx)).toEqual(['send-invite'])
    ctx.clock.advance(60)
    expect((await resend(body.id)).status).toBe(204)
  })

  test('beside the cancelling of its invite mails nothing once that is done', async () => {
    for (let round = 0; round < 6; round++) {
      const { body } = await invite()
      await runJobs(ctx)
      const [resent, cancelled] = await Promise.all([resend(body.id), cancel(body.id)])
      expect([204, 404]).toContain(resent.status)
      expect(cancelled.status).toBe(204)
      await runJobs(ctx)
      expect(mailsTo(body.inviteeEmail)).toHaveLength(1)
    }
  })

  test('is 409 without a mail gateway, where the link is shown instead', async () => {
    const without = await testContext()
    const founder = await owner(without)
    const client = api(without).as(founder.token)
    const made = await client.post(PATH, {
      email: address(),
      role_id: (await roleOf(without, 'developer')).id,
    })
    expect(await client.post(`${PATH}/${made.body.id}/resend`, {})).toMatchObject({
      status: 409,
      body: { error: "There is no mail gateway. Hand over the invite's link instead." },
    })
    await without.close()
  })
})

describe('No mailbox is flooded', () => {
  beforeAll(() => ctx.clock.advance(DAY))

  test('by inviting and cancelling in turns: ten mails to an address in a day, in any case', async () => {
    const email = address()
    for (let round = 0; round < 10; round++) {
      const { status, body } = await invite(round % 2 === 0 ? email : email.toUpperCase())
      expect(status).toBe(201)
      await runJobs(ctx)
      await cancel(body.id)
    }
    const refused = await invite(email)
    expect(refused).toMatchObject({
      status: 429,
      body: { error: 'Too many invites were mailed to this address today. Try again later.' },
    })
    expect(Number(refused.headers.get('retry-after'))).toBeWithin(1, DAY + 1)
    expect(await runJobs(ctx)).toEqual([])
    expect(ctx.mailer.sent.filter(({ to }) => to.toLowerCase() === email)).toHaveLength(10)
    expect(await ctx.db`select 1 from invites where email_key = ${email} and state = 'pending'`).toHaveLength(
      0,
    )
    // Others are invited as before, and this one the next day.
    expect((await invite()).status).toBe(201)
    ctx.clock.advance(DAY)
    expect((await invite(email)).status).toBe(201)
  })

  test('by mailing an invite again and again: it counts with the others', async () => {
    const email = address()
    const { body } = await invite(email)
    for (let mails = 1; mails < 10; mails++) {
      expect((await resend(body.id)).status).toBe(204)
      ctx.clock.advance(60)
    }
    expect((await resend(body.id)).status).toBe(429)
    await cancel(body.id)
    expect((await invite(email)).status).toBe(429)
  })

  test('and what is refused does not count', async () => {
    const email = address()
    const { body } = await invite(email)
    for (let round = 0; round < 20; round++) expect((await invite(email)).status).toBe(409)
    await cancel(body.id)
    expect((await invite(email)).status).toBe(201)
  })

  test('nor many of them: one member sends a thousand mails of invites in a day, the organisation three thousand', async () => {
    const bo = await member(ctx, 'admin')
    const inviteByBo = () => service.as(bo.token).post(PATH, { email: address(), role_id: developer })
    const countedToday = (count: number) =>
      ctx.db`update sign_in_attempts set count = ${count} where expires_at > ${ctx.clock.now()}`
    const refused = (whose: string) => ({
      status: 429,
      body: { error: `Too many invites were mailed ${whose} today. Try again later.` },
    })
    ctx.clock.advance(DAY)
    expect((await invite()).status).toBe(201)
    await countedToday(999)
    expect((await invite()).status).toBe(201)
    expect(await invite()).toMatchObject(refused('for you'))
    const asManager = { name: 'inviter', role_id: (await roleOf(ctx, 'manager')).id }
    const account = (await service.as(ada.token).post('/v1/service-accounts', asManager)).body.initialToken
      .token
    const inviteByAccount = () => service.as(account).post(PATH, { email: address(), role_id: developer })
    expect((await inviteByAccount()).status).toBe(201)
    await countedToday(1000)
    expect(await inviteByAccount()).toMatchObject(refused('for you'))
    const manager = await member(ctx, 'manager')
    const inviteByManager = () =>
      service.as(manager.token).post(PATH, { email: address(), role_id: developer })
    const firstsOf = async (inviteOne: typeof invite) => {
      for (let sent = 0; sent < FIRST_INVITE_MAILS; sent++) expect((await inviteOne()).status).toBe(201)
    }
    await countedToday(2000)
    await firstsOf(inviteByManager)
    expect(await inviteByManager()).toMatchObject(refused('by this organisation'))
    await countedToday(FIRST_INVITE_MAILS + 1)
    expect((await inviteByManager()).status).toBe(201)
    await countedToday(3000)
    await firstsOf(inviteByBo)
    expect(await inviteByBo()).toMatchObject(refused('by this organisation'))
    ctx.clock.advance(DAY)
    expect((await invite()).status).toBe(201)
  })

  test('a limit on mails is none on invites where there is no mail gateway', async () => {
    const without = await testContext()
    const founder = await owner(without)
    const client = api(without).as(founder.token)
    const body = { email: address(), role_id: (await roleOf(without, 'developer')).id }
    for (let round = 0; round < 12; round++) {
      const made = await client.post(PATH, body)
      expect(made.status).toBe(201)
      await client.delete(`${PATH}/${made.body.id}`)
    }
    await without.close()
  })
})

describe('The invited address', () => {
  test('is told to who holds the link, and to nobody else', async () => {
    const { body } = await invite()
    await runJobs(ctx)
    const { token } = lastLink(ctx)
    const stranger = await session(ctx, await user(ctx))
    const accept = (token: string) => service.as(stranger).post('/service/auth/invites/accept/', { token })
    const guessed = `${token.slice(0, 32)}${'A'.repeat(43)}`
    for (const path of ['lookup', 'accept']) {
      const answer = await service.as(stranger).post(`/service/auth/invites/${path}/`, { token: guessed })
      expect(answer).toMatchObject({ status: 404, body: { error: 'Invite not found.' } })
    }
    const refused = await accept(token)
    expect(refused).toMatchObject({
      status: 403,
      body: {
        error:
          'This invite is for another e-mail address. Use the account of the address that it was sent to.',
      },
    })
    expect(await trailAsText(ctx)).not.toContain(body.inviteeEmail)
    const looked = await service.anonymous.post('/service/auth/invites/lookup/', { token })
    expect(looked.body.email).toBe(body.inviteeEmail)
  })
})

test('after ten of a day, the mails of a member’s invites go after those of others', async () => {
  const mail = async ({ token }: Person) => {
    const email = address()
    const { status } = await service.as(token).post(PATH, { email, role_id: developer })
    expect(status).toBe(201)
    return email
  }
  const [many, other] = [await member(ctx, 'manager'), await member(ctx, 'manager')]
  const asked: string[] = []
  for (let n = 0; n < 12; n++) asked.push(await mail(many))
  asked.push(await mail(other))
  const before = ctx.mailer.sent.length
  await runJobs(ctx)
  const sent = ctx.mailer.sent.slice(before).map(({ to }) => asked.indexOf(to))
  expect(sent).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 10, 11])
})
