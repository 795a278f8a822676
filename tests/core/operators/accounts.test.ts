import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createResetLink, listAccounts, type OperatorAccount } from '../../../src/core/operators/accounts.ts'
import { api } from '../../support/api.ts'
import { entriesAbout, trailAsText } from '../../support/audit-entries.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { runJobs } from '../../support/jobs.ts'
import { manyMembers, member, owner, session, user } from '../../support/people.ts'
import { login, newEmail, PASSWORD, register } from '../../support/sign-in.ts'

const SMTP = { SMTP_HOST: 'mail.example.org', SMTP_FROM: 'keyward@example.org', RATE_LIMIT_AUTH: 'off' }

let ctx: TestContext
let service: ReturnType<typeof api>

beforeAll(async () => {
  ctx = await testContext(SMTP)
  service = api(ctx)
  await owner(ctx)
})
afterAll(() => ctx.close())

const reset = (token: string, more = {}, path = '/service/auth/password/reset/') =>
  service.anonymous.post(path, { token, new_password: 'a new password', ...more })
const tokenOf = (url: string) => url.split('#')[1] ?? ''

async function account() {
  const email = newEmail()
  const id = (await register(service, { email })).body.user.id as string
  await runJobs(ctx)
  return { email, id }
}

test('all accounts are listed in the order of their creation, however many there are', async () => {
  const own = await testContext()
  await owner(own)
  own.clock.advance(1)
  await manyMembers(own, 1100)
  own.clock.advance(1)
  const last = await user(own, 'Last@example.org')
  const found: OperatorAccount[] = []
  for await (const some of listAccounts(own)) found.push(...some)
  expect(found).toHaveLength(1102)
  expect(new Set(found.map(({ id }) => id)).size).toBe(1102)
  expect(found.map(({ role }) => role)).toEqual(['Owner', ...Array(1100).fill('Developer'), null])
  expect(found.at(-1)).toEqual({
    id: last,
    email: 'Last@example.org',
    fullName: 'Ada Example',
    role: null,
    emailVerified: true,
    methods: [],
    secondFactors: [],
    createdAt: own.clock.now().toISOString(),
  })
  await own.close()
})

test('a reset link sets a password once, ends all sessions, and sends no mail', async () => {
  const { email, id } = await account()
  const bearer = await session(ctx, id)
  const { url, expiresAt } = await createResetLink(ctx, email.toUpperCase())
  expect(url).toStartWith('http://localhost/reset-password#')
  expect(expiresAt.getTime() - ctx.clock.now().getTime()).toBe(3_600_000)
  expect(await runJobs(ctx)).toEqual([])
  expect((await reset(tokenOf(url))).status).toBe(204)
  expect((await login(service, email, 'a new password')).status).toBe(200)
  expect((await service.as(bearer).get('/v1/me')).status).toBe(401)
  expect((await reset(tokenOf(url))).status).toBe(404)
})

test('an account that awaits verification gets in, and its address stays unverified', async () => {
  const { email, id } = await account()
  expect((await login(service, email)).status).toBe(403)
  await reset(tokenOf((await createResetLink(ctx, email)).url))
  expect((await login(service, email, 'a new password')).status).toBe(200)
  const [row] = await ctx.db`select email_verified_at, verification_required from users where id = ${id}`
  expect(row).toEqual({ email_verified_at: null, verification_required: false })
})

test('an account without a password gets one', async () => {
  const email = newEmail()
  await user(ctx, email)
  await reset(tokenOf((await createResetLink(ctx, email)).url))
  expect((await login(service, email, 'a new password')).status).toBe(200)
})

test('a reset link is void after an hour, and once there is a newer one; mailed ones do not keep it away', async () => {
  const { email } = await account()
  await service.anonymous.post('/service/auth/password/forgot/', { email })
  await runJobs(ctx)
  const mailed = /#(\S+)/.exec(ctx.mailer.sent.at(-1)?.text ?? '')?.[1] ?? ''
  const first = tokenOf((await createResetLink(ctx, email)).url)
  const second = tokenOf((await createResetLink(ctx, email)).url)
  for (const token of [mailed, first]) expect((await reset(token)).status).toBe(404)
  ctx.clock.advance(3600)
  expect((await reset(second)).status).toBe(404)
  const third = tokenOf((await createResetLink(ctx, email)).url)
  ctx.clock.advance(3599)
  expect((await reset(third)).status).toBe(204)
})

test('a reset link is good for no other purpose', async () => {
  const { email } = await account()
  const token = tokenOf((await createResetLink(ctx, email)).url)
  const verified = await service.anonymous.post('/service/auth/email/verify/', { token })
  expect(verified.status).toBe(404)
  expect((await login(service, email, PASSWORD)).status).toBe(403)
})

test('the entries name the operator and the command, and neither address nor token', async () => {
  const { email, id } = await account()
  const { url, expiresAt } = await createResetLink(ctx, email)
  await reset(tokenOf(url))
  const about = (await entriesAbout(ctx, id)).map((entry) => [entry.event_type, entry.actor_id])
  expect(about).toContainEqual(['user.reset_link_created', null])
  expect(about).toContainEqual(['user.password_reset', id])
  const [entry] = await ctx.db`
    select * from audit_entries where resource_id = ${id} and event_type = 'user.reset_link_created'`
  expect(entry).toMatchObject({
    actor_type: 'operator',
    actor_id: null,
    actor_metadata: { name: 'Operator', role: null, by: 'keyward users reset' },
    new_values: { expiresAt: expiresAt.toISOString(), removesSecondFactors: false },
    ip_address: null,
    request_id: null,
  })
  const trail = await trailAsText(ctx)
  expect(trail).not.toContain(tokenOf(url).slice(32))
  expect(trail).not.toContain(email)
  const { rows } =
    await ctx.db`select row_to_json(l)::text as rows from email_links l where user_id = ${id}`.then(
      (found) => ({ rows: JSON.stringify(found) }),
    )
  expect(rows).not.toContain(tokenOf(url).slice(32))
})

test('no link is made for an unknown address, nor while passwords are off', async () => {
  await expect(createResetLink(ctx, 'nobody@example.org')).rejects.toThrow(
    'No account has the e-mail address nobody@example.org: "keyward users list" shows all.',
  )
  const off = await testContext({ ENABLE_PASSWORD_AUTH: 'false' })
  await owner(off)
  const { userId } = await member(off, 'developer')
  const [row] = await off.db`select email from users where id = ${userId}`
  await expect(createResetLink(off, row?.email)).rejects.toThrow('Password authentication is off')
  expect(await off.db`select 1 from email_links`).toHaveLength(0)
  await off.close()
})

test('an entry that can not be written keeps the link from being made', async () => {
  const { email, id } = await account()
  await ctx.db`alter table audit_entries add constraint no_entries check (event_type <> 'user.reset_link_created') not valid`
  await expect(createResetLink(ctx, email)).rejects.toThrow('no_entries')
  await ctx.db`alter table audit_entries drop constraint no_entries`
  expect(await ctx.db`select 1 from email_links where user_id = ${id} and by_operator`).toHaveLength(0)
})
