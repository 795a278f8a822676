import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import type { AccountRow } from '../../../src/core/accounts/account.ts'
import { findAccount } from '../../../src/core/accounts/accounts.ts'
import * as sessions from '../../../src/core/sessions/sessions.ts'
import { api } from '../../support/api.ts'
import { type TestContext, testConfig, testContext } from '../../support/context.ts'
import { type IdentityProvider, startIdentityProvider } from '../../support/identity-provider.ts'
import { lastLink, runJobs } from '../../support/jobs.ts'
import { owner } from '../../support/people.ts'
import { raceFor } from '../../support/races.ts'
import { register, signIn } from '../../support/sign-in.ts'
import { redirectUri, ssoBrowser } from '../../support/sso.ts'

const MAIL = { SMTP_HOST: 'mail.example.org', SMTP_FROM: 'keyward@example.org' }

let idp: IdentityProvider
let ctx: TestContext
let service: ReturnType<typeof api>

beforeAll(async () => {
  idp = await startIdentityProvider([redirectUri('keycloak')])
})
afterAll(() => idp.close())

beforeEach(async () => {
  idp.person = { sub: 'ada', email: 'ada@corp.example', email_verified: true, name: 'Ada Lovelace' }
  ctx = await testContext({ ...idp.variables('keycloak'), RATE_LIMIT_AUTH: 'off' }, new Date())
  service = api(ctx)
  await owner(ctx)
})
afterEach(() => ctx.close())

const configured = (environment: Record<string, string>) =>
  api({
    ...ctx,
    config: testConfig({ ...idp.variables('keycloak'), RATE_LIMIT_AUTH: 'off', ...environment }),
  })

/** A browser that is signed in with a password. */
async function signedIn(email = 'ada@example.org', at = service) {
  await register(service, { email })
  const { cookie } = await signIn(at, email)
  const browser = ssoBrowser(at)
  browser.plant('keyward_session', cookie.split('=')[1] ?? '', '/')
  return browser
}

const identities = async (browser: ReturnType<typeof ssoBrowser>) =>
  (await browser.get('/service/auth/sso/identities/')).body.data

test('an account at a provider is linked from a session, shown, signs in, and is unlinked', async () => {
  const browser = await signedIn()
  const before = browser.session()
  const { status, headers } = await browser.comeBack(await idp.visit(await browser.beginLink('keycloak')))
  expect([status, headers.get('location')]).toEqual([302, 'http://localhost/'])
  // The session stays the same: nobody has signed in.
  expect(browser.session()).toBe(before)
  expect(await identities(browser)).toEqual([
    { provider: 'keycloak', name: 'Keycloak', createdAt: ctx.clock.now().toISOString() },
  ])
  const other = ssoBrowser(service)
  expect((await other.signIn('keycloak', idp)).status).toBe(302)
  const me = (await service.as(await other.token()).get('/v1/me')).body
  expect(me.email).toBe('ada@example.org')
  expect((await browser.delete('/service/auth/sso/keycloak/link/')).status).toBe(204)
  expect(await identities(browser)).toEqual([])
  expect((await browser.delete('/service/auth/sso/keycloak/link/')).status).toBe(404)
  // What the identity has opened stays.
  expect((await other.get('/service/auth/sessions/')).status).toBe(200)
  const entries = await ctx.db`
    select event_type, actor_metadata ->> 'sessionId' is not null as has_session, old_values, new_values
    from audit_entries where event_type like 'user.identity%' order by timestamp, event_type`
  expect([...entries]).toEqual([
    {
      event_type: 'user.identity_linked',
      has_session: true,
      old_values: null,
      new_values: { provider: 'keycloak', by: 'session' },
    },
    {
      event_type: 'user.identity_unlinked',
      has_session: true,
      old_values: { provider: 'keycloak' },
      new_values: null,
    },
  ])
})

test('the audit log tells that a link verified the address, and a later sign-in verifies it no more', async () => {
  idp.person = { ...idp.person, email: 'ada@example.org' }
  const browser = await signedIn()
  await browser.comeBack(await idp.visit(await browser.beginLink('keycloak')))
  await ssoBrowser(service).signIn('keycloak', idp)
  const verified = () => ctx.db`
    select actor_metadata ->> 'sessionId' is not null as has_session
    from audit_entries where event_type = 'user.email_verified'`
  expect([...(await verified())]).toEqual([{ has_session: true }])
  await ctx.db`update users set email_verified_at = null where email = 'ada@example.org'`
  await ssoBrowser(service).signIn('keycloak', idp)
  expect(await verified()).toHaveLength(2)
})

test('both are told by mail', async () => {
  const mailing = api({
    ...ctx,
    config: testConfig({ ...idp.variables('keycloak'), RATE_LIMIT_AUTH: 'off', ...MAIL }),
  })
  await register(service, { email: 'ada@example.org' })
  await ctx.db`update users set email_verified_at = now() where email = 'ada@example.org'`
  const browser = await signedIn('ada@example.org', mailing)
  await browser.comeBack(await idp.visit(await browser.beginLink('keycloak')))
  await browser.delete('/service/auth/sso/keycloak/link/')
  const jobs = await ctx.db`select data from pgboss.job where name = 'send-notice' order by created_on`
  expect(jobs.map(({ data }) => [data.notice, data.name])).toEqual([
    ['sign-in-method-added', 'Keycloak'],
    ['sign-in-method-removed', 'Keycloak'],
  ])
  await ctx.db`update pgboss.job set state = 'completed' where name = 'send-notice'`
})

/** Sets a new password with a mailed link, where a mail gateway is set by now. */
async function resetByMail(email: string, new_password: string): Promise<void> {
  const config = testConfig({ ...idp.variables('keycloak'), RATE_LIMIT_AUTH: 'off', ...MAIL })
  const mailing = { ...ctx, config }
  const { anonymous } = api(mailing)
  await anonymous.post('/service/auth/password/forgot/', { email })
  await runJobs(mailing)
  const { token } = lastLink(ctx)
  expect((await anonymous.post('/service/auth/password/reset/', { token, new_password })).status).toBe(204)
  await runJobs(mailing)
}

test('a mailed new password removes what else whoever registered an address without having it has added', async () => {
  // Without a mail gateway nobody has to prove an address.
  const eve = await signedIn('alice@example.org')
  await eve.comeBack(await idp.visit(await eve.beginLink('keycloak')))
  await resetByMail('alice@example.org', 'the password of Alice')
  expect(await ctx.db`select 1 from sso_identities`).toHaveLength(0)
  const alice = await signIn(service, 'alice@example.org', 'the password of Alice')
  expect((await alice.get('/sso/identities')).body.data).toEqual([])
})

test('a mailed new password keeps what an account with a verified address has added', async () => {
  const browser = await signedIn()
  await browser.comeBack(await idp.visit(await browser.beginLink('keycloak')))
  await ctx.db`update users set email_verified_at = now() where email = 'ada@example.org'`
  await resetByMail('ada@example.org', 'another password of Ada')
  expect(await ctx.db`select 1 from sso_identities`).toHaveLength(1)
})

test('linking and unlinking take a cookie and a sign-in of the last ten minutes', async () => {
  const browser = await signedIn()
  const bearer = service.as(await browser.token())
  const needsCookie = { error: 'Authentication credentials were not provided.' }
  expect((await bearer.post('/service/auth/sso/keycloak/link/', {})).body).toEqual(needsCookie)
  ctx.clock.advance(601)
  const again = {
    error: 'Sign in again: this can only be done within 10 minutes of a sign-in.',
  }
  const path = '/service/auth/sso/keycloak/link/'
  for (const { status, body } of [await browser.post(path, {}), await browser.delete(path)])
    expect([status, body]).toEqual([403, again])
  expect((await ssoBrowser(service).post(path, {})).status).toBe(401)
})

test('linking twice changes nothing; a second account at the provider, and one of somebody else, are refused', async () => {
  const ada = await signedIn()
  const link = async (browser: typeof ada) =>
    browser.comeBack(await idp.visit(await browser.beginLink('keycloak')))
  expect((await link(ada)).status).toBe(302)
  expect((await link(ada)).status).toBe(302)
  expect(await ctx.db`select 1 from sso_identities`).toHaveLength(1)
  const eve = await signedIn('eve@example.org')
  const foreign = await link(eve)
  expect([foreign.status, foreign.body]).toEqual([
    409,
    { error: 'This account at Keycloak is linked to another account here.' },
  ])
  idp.person = { ...idp.person, sub: 'ada-2' }
  const second = await link(ada)
  expect([second.status, second.body]).toEqual([
    409,
    { error: 'Another account at Keycloak is linked to your account already. Unlink that one first.' },
  ])
})

test('an address that is not verified, or not of an allowed domain, is not linked', async () => {
  const browser = await signedIn()
  idp.person = { ...idp.person, email_verified: false }
  expect((await browser.comeBack(await idp.visit(await browser.beginLink('keycloak')))).status).toBe(403)
  idp.person = { ...idp.person, email_verified: true }
  const narrow = await signedIn('ada@example.org', configured({ ALLOWED_EMAIL_DOMAINS: 'example.org' }))
  expect((await narrow.comeBack(await idp.visit(await narrow.beginLink('keycloak')))).status).toBe(403)
  expect(await ctx.db`select 1 from sso_identities`).toHaveLength(0)
})

test('the last way in stays: without a password, or where passwords are off', async () => {
  const only = {
    error: 'This is your last way to sign in. Add another one first, such as a password or a passkey.',
  }
  const path = '/service/auth/sso/keycloak/link/'
  const newcomer = ssoBrowser(service)
  await newcomer.signIn('keycloak', idp)
  const first = await newcomer.delete(path)
  expect([first.status, first.body]).toEqual([403, only])
  idp.person = { ...idp.person, sub: 'grace', email: 'grace@corp.example' }
  const grace = await signedIn('grace@example.org')
  await grace.comeBack(await idp.visit(await grace.beginLink('keycloak')))
  const without = ssoBrowser(configured({ ENABLE_PASSWORD_AUTH: 'false' }))
  for (const { name, value, path } of grace.all()) without.plant(name, value, path)
  const second = await without.delete(path)
  expect([second.status, second.body]).toEqual([403, only])
  expect((await grace.delete(path)).status).toBe(204)
  expect(await ctx.db`select subject from sso_identities`).toEqual([{ subject: 'ada' }] as never)
})

test('identities at a provider that is no longer configured are no way in, and can be removed', async () => {
  const ada = await signedIn()
  await ada.comeBack(await idp.visit(await ada.beginLink('keycloak')))
  const later = ssoBrowser(api({ ...ctx, sso: [] }))
  for (const { name, value, path } of ada.all()) later.plant(name, value, path)
  expect((await identities(later))[0].name).toBe('keycloak')
  expect((await later.delete('/service/auth/sso/keycloak/link/')).status).toBe(204)
})

test('of two requests that unlink the last two ways in at once, one is refused', async () => {
  // A second provider of the same account: its row is enough.
  const ada = ssoBrowser(service)
  await ada.signIn('keycloak', idp)
  await ctx.db`
    insert into sso_identities select gen_random_uuid(), user_id, 'other', issuer, 'other', created_at from sso_identities`
  const [keycloak] = ctx.sso
  const both = api({ ...ctx, sso: [...ctx.sso, { ...keycloak, id: 'other', name: 'Other' } as never] })
  const browser = ssoBrowser(both)
  for (const { name, value, path } of ada.all()) browser.plant(name, value, path)
  const answers = await Promise.all(
    ['keycloak', 'other'].map((id) => browser.delete(`/service/auth/sso/${id}/link/`)),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([204, 403])
  expect(await ctx.db`select 1 from sso_identities`).toHaveLength(1)
})

test('an identity that is unlinked before the session begins opens none', async () => {
  const ada = ssoBrowser(service)
  await ada.signIn('keycloak', idp)
  const [identity] = await ctx.db`select id, user_id from sso_identities`
  const account = (await findAccount(ctx.db, identity?.user_id)) as AccountRow
  const source = { ipAddress: null, userAgent: null, requestId: 'x' }
  const open = () => sessions.open(ctx, account, { method: 'sso', identityId: identity?.id }, source)
  expect(await open()).not.toBeNull()
  // Unlinked while the sign-in waits for its account.
  const [opened] = await raceFor(
    ctx.db,
    async (tx) => {
      await tx`select 1 from users where id = ${identity?.user_id} for update`
      await tx`delete from sso_identities where id = ${identity?.id}`
    },
    open,
  )
  expect(opened).toBeNull()
  expect(await open()).toBeNull()
})
