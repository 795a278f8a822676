import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { api } from '../../support/api.ts'
import { entriesAbout } from '../../support/audit-entries.ts'
import { type TestContext, testConfig, testContext } from '../../support/context.ts'
import { addPasskey, setUpTotp, visitor } from '../../support/factors.ts'
import { type IdentityProvider, startIdentityProvider } from '../../support/identity-provider.ts'
import { member, owner, roleOf, session } from '../../support/people.ts'
import { login, PASSWORD, register, signIn } from '../../support/sign-in.ts'
import { redirectUri, ssoBrowser } from '../../support/sso.ts'

let idp: IdentityProvider
let ctx: TestContext
let service: ReturnType<typeof api>

beforeAll(async () => {
  idp = await startIdentityProvider([redirectUri('keycloak')])
})
afterAll(() => idp.close())

beforeEach(async () => {
  idp.person = { sub: 'ada', email: 'ada@example.org', email_verified: true, name: 'Ada Lovelace' }
  ctx = await testContext({ ...idp.variables('keycloak'), RATE_LIMIT_AUTH: 'off' }, new Date())
  service = api(ctx)
})
afterEach(() => ctx.close())

const configured = (environment: Record<string, string>) =>
  api({
    ...ctx,
    config: testConfig({ ...idp.variables('keycloak'), RATE_LIMIT_AUTH: 'off', ...environment }),
  })

/** An invite of the organisation's; its token. */
async function invite(email: string): Promise<string> {
  const [ownerRow] = await ctx.db`
    select m.user_id from members m join principals p on p.id = m.principal_id where p.role_kind = 'owner'`
  const { body } = await service
    .as(await session(ctx, ownerRow?.user_id))
    .post('/v1/members/invites', { email, role_id: (await roleOf(ctx, 'developer')).id })
  return body.inviteUrl.split('#')[1]
}

const me = async (browser: ReturnType<typeof ssoBrowser>) =>
  (await service.as(await browser.token()).get('/v1/me')).body

describe('signing in', () => {
  test('founds the organisation for the first person, who is its Owner', async () => {
    const browser = ssoBrowser(service)
    const { status, headers } = await browser.signIn('keycloak', idp)
    expect(status).toBe(302)
    expect(headers.get('location')).toBe('http://localhost/')
    expect(await me(browser)).toMatchObject({
      name: 'Ada Lovelace',
      email: 'ada@example.org',
      role: { name: 'Owner' },
    })
    expect(browser.cookies('keyward_sso_')).toEqual([])
    expect(await ctx.db`select method from sessions`).toEqual([{ method: 'sso' }] as never)
    const [user] =
      await ctx.db`select id, password_hash, email_verified_at is not null as verified from users`
    expect(user).toMatchObject({ password_hash: null, verified: true })
    const events = (await entriesAbout(ctx, user?.id)).map(({ event_type, description }) => [
      event_type,
      description,
    ])
    expect(events).toEqual([
      ['user.identity_linked', 'Sign-in with Keycloak added: the account was registered with it.'],
      ['user.registered', 'Account registered with Keycloak.'],
      ['user.signed_in', 'Signed in with single sign-on.'],
    ])
  })

  test('again leads to the same account, by the identity, whatever became of the address', async () => {
    await ssoBrowser(service).signIn('keycloak', idp)
    idp.person = { ...idp.person, email: 'ada.king@example.org' }
    const browser = ssoBrowser(service)
    await browser.signIn('keycloak', idp)
    expect(await me(browser)).toMatchObject({ email: 'ada@example.org' })
    expect(await ctx.db`select 1 from users`).toHaveLength(1)
  })

  test('leads where it was begun for', async () => {
    const browser = ssoBrowser(service)
    const { headers } = await browser.get('/service/auth/sso/keycloak/authorize?return_to=/apps?tab=keys%23x')
    const { status, headers: back } = await browser.comeBack(
      await idp.visit(new URL(headers.get('location') ?? '')),
    )
    expect([status, back.get('location')]).toEqual([302, 'http://localhost/apps?tab=keys#x'])
  })

  test('works in several tabs at once', async () => {
    await owner(ctx)
    const browser = ssoBrowser(service)
    const begun = await Promise.all([1, 2, 3].map(() => browser.begin('keycloak')))
    expect(browser.cookies('keyward_sso_')).toHaveLength(3)
    for (const url of begun.reverse()) {
      expect((await browser.comeBack(await idp.visit(url))).status).toBe(302)
    }
    expect(browser.cookies('keyward_sso_')).toEqual([])
    expect(await ctx.db`select 1 from users where email = 'ada@example.org'`).toHaveLength(1)
  })

  test('that is begun again and again leaves eight cookies at most', async () => {
    const browser = ssoBrowser(service)
    for (let i = 0; i < 12; i++) await browser.begin('keycloak')
    expect(browser.cookies('keyward_sso_')).toHaveLength(8)
    expect((await browser.comeBack(await idp.visit(await browser.begin('keycloak')))).status).toBe(302)
  })

  test('leaves four KiB of cookies at most, which every request sends', async () => {
    const browser = ssoBrowser(service)
    const longest = `/${'a'.repeat(511)}`
    for (let i = 0; i < 8; i++) await browser.begin('keycloak', { return_to: longest })
    const cookies = browser.cookies('keyward_sso_')
    expect(cookies.join('; ').length).toBeWithin(3000, 4096)
    expect((await browser.comeBack(await idp.visit(await browser.begin('keycloak')))).status).toBe(302)
  })

  test('fills a name that was empty, and keeps one that is there', async () => {
    idp.person = { ...idp.person, name: '' }
    await ssoBrowser(service).signIn('keycloak', idp)
    expect(await ctx.db`select full_name from users`).toEqual([{ full_name: '' }] as never)
    for (const name of ['Ada Lovelace', 'Somebody Else']) {
      idp.person = { ...idp.person, name }
      await ssoBrowser(service).signIn('keycloak', idp)
      expect(await ctx.db`select full_name from users`).toEqual([{ full_name: 'Ada Lovelace' }] as never)
    }
  })

  test('through the older redirect address ends the same', async () => {
    const browser = ssoBrowser(service)
    const callback = await idp.visit(await browser.begin('keycloak'))
    const alias = await browser.get(`/api/auth/callback/keycloak${callback.search}`)
    expect(alias.status).toBe(302)
    expect(alias.headers.get('location')).toBe(`${callback.pathname}${callback.search}`)
    expect((await browser.get(alias.headers.get('location') ?? '')).status).toBe(302)
    expect(await me(browser)).toMatchObject({ email: 'ada@example.org' })
    expect((await browser.get('/api/auth/callback/unknown')).status).toBe(404)
    expect((await browser.get('/api/auth/callback/keycloak%2f..%2f..')).status).toBe(404)
  })

  test('is offered for each provider', async () => {
    const list = [{ id: 'keycloak', name: 'Keycloak' }]
    expect((await service.anonymous.get('/service/auth/sso/providers/')).body).toEqual({ data: list })
    expect((await service.anonymous.get('/service/auth/methods/')).body.providers).toEqual(list)
    expect((await service.anonymous.get('/service/auth/sso/google/authorize/')).status).toBe(404)
  })

  test('sets cookies for https alone where the origin is https', async () => {
    const redirect = 'https://keyward.example.org/service/auth/sso/keycloak/callback/'
    const secured = configured({
      HOST: 'https://keyward.example.org',
      ALLOWED_HOSTS: 'keyward.example.org,localhost',
    })
    const { headers } = await secured.anonymous.get('/service/auth/sso/keycloak/authorize/')
    expect(headers.get('set-cookie')).toMatch(
      /^__Host-keyward_sso_[\w-]{22}=[\w.-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/,
    )
    expect(new URL(headers.get('location') ?? '').searchParams.get('redirect_uri')).toBe(redirect)
  })
})

describe('a first account', () => {
  test('needs the setup token, which no address holds', async () => {
    const guarded = configured({ SETUP_TOKEN: 'open sesame' })
    const browser = ssoBrowser(guarded)
    const begin = '/service/auth/sso/keycloak/authorize/'
    const refused = 'The first account needs setup_token, with the value of SETUP_TOKEN.'
    for (const answer of [
      await browser.get(begin),
      await browser.post(begin, {}),
      await browser.post(begin, { setup_token: 'open' }),
    ]) {
      expect([answer.status, answer.body]).toEqual([403, { error: refused }])
      expect(answer.headers.get('set-cookie')).toBeNull()
    }
    const url = await browser.begin('keycloak', { setup_token: 'open sesame' })
    expect(`${url}${JSON.stringify(browser.all())}`).not.toContain('sesame')
    const callback = await idp.visit(url)
    expect(callback.href).not.toContain('sesame')
    expect((await browser.comeBack(callback)).status).toBe(302)
    expect(await me(browser)).toMatchObject({ role: { name: 'Owner' } })
  })

  test('of a deployment with another SETUP_TOKEN by then is refused', async () => {
    const browser = ssoBrowser(service)
    const callback = await idp.visit(await browser.begin('keycloak'))
    // A state that was begun without the token says so.
    const guarded = ssoBrowser(configured({ SETUP_TOKEN: 'open sesame' }))
    for (const { name, value, path } of browser.all()) guarded.plant(name, value, path)
    const { status } = await guarded.comeBack(callback)
    // Begun when none was needed: that is what the state says.
    expect(status).toBe(302)
  })

  test('counts wrong setup tokens as attempts of their address', async () => {
    const guarded = configured({ SETUP_TOKEN: 'open sesame', RATE_LIMIT_AUTH: '10/min' })
    const statuses = []
    for (let i = 0; i < 61; i++) {
      const { status } = await guarded.anonymous.post('/service/auth/sso/keycloak/authorize/', {
        setup_token: 'x',
      })
      statuses.push(status)
    }
    expect(new Set(statuses.slice(0, 60))).toEqual(new Set([403]))
    expect(statuses[60]).toBe(429)
  })
})

describe('a later account', () => {
  test('is registered without a membership where registration is open', async () => {
    await owner(ctx)
    const browser = ssoBrowser(service)
    expect((await browser.signIn('keycloak', idp)).status).toBe(302)
    expect(await me(browser)).toMatchObject({ role: null, email: 'ada@example.org' })
  })

  test('is refused where registration is by invite, and registered with one', async () => {
    await owner(ctx)
    const closed = configured({ REGISTRATION: 'invite' })
    const { status, body } = await ssoBrowser(closed).signIn('keycloak', idp)
    expect([status, body]).toEqual([403, { error: 'Registration is by invite only.' }])
    expect(await ctx.db`select 1 from users where email = 'ada@example.org'`).toHaveLength(0)
    const browser = ssoBrowser(closed)
    const token = await invite('Ada@example.org')
    const url = await browser.begin('keycloak', { invite: token })
    expect(url.href).not.toContain(token)
    expect((await browser.comeBack(await idp.visit(url))).status).toBe(302)
    expect(await me(browser)).toMatchObject({ role: { name: 'Developer' } })
    expect(await ctx.db`select 1 from invites`).toHaveLength(0)
  })

  test('with an invite to another address, or one that is used, is refused', async () => {
    await owner(ctx)
    const browser = ssoBrowser(service)
    const foreign = await browser.signIn('keycloak', idp, { invite: await invite('grace@example.org') })
    expect([foreign.status, foreign.body]).toEqual([
      403,
      {
        error:
          'This invite is for another e-mail address. Use the account of the address that it was sent to.',
      },
    ])
    const token = await invite('ada@example.org')
    const begun = [
      await browser.begin('keycloak', { invite: token }),
      await browser.begin('keycloak', { invite: token }),
    ]
    const [first, second] = await Promise.all(begun.map((url) => idp.visit(url)))
    expect((await browser.comeBack(first as URL)).status).toBe(302)
    // The account is a member by then: it is signed in.
    expect((await browser.comeBack(second as URL)).status).toBe(302)
    expect((await browser.post('/service/auth/sso/keycloak/authorize/', { invite: token })).status).toBe(404)
  })

  test('of somebody who was removed is invited again, and comes back by the same identity', async () => {
    const grace = await owner(ctx)
    const browser = ssoBrowser(service)
    await browser.signIn('keycloak', idp, { invite: await invite('ada@example.org') })
    const { id } = await me(browser)
    await service.as(grace.token).delete(`/v1/members/${id}`)
    await browser.signIn('keycloak', idp)
    expect((await me(browser)).role).toBeNull()
    await browser.signIn('keycloak', idp, { invite: await invite('ada@example.org') })
    expect(await me(browser)).toMatchObject({ role: { name: 'Developer' } })
    expect(await ctx.db`select 1 from users where email = 'ada@example.org'`).toHaveLength(1)
  })

  test('is refused for an address that the provider has not verified', async () => {
    await owner(ctx)
    for (const person of [
      { ...idp.person, email_verified: false },
      { sub: 'ada', email: 'ada@example.org' },
      { sub: 'ada' },
    ]) {
      idp.person = person
      const { status, body } = await ssoBrowser(service).signIn('keycloak', idp)
      expect(status).toBe(403)
      expect(body.error).toContain('does not say that your e-mail address is verified')
    }
    expect(await ctx.db`select 1 from sso_identities`).toHaveLength(0)
  })

  test('is refused for a domain that is not allowed, by every way of registering', async () => {
    await owner(ctx)
    const narrow = configured({ ALLOWED_EMAIL_DOMAINS: 'example.com' })
    const { status, body } = await ssoBrowser(narrow).signIn('keycloak', idp)
    expect([status, body]).toEqual([403, { error: 'E-mail addresses of this domain may not sign in here.' }])
    const byPassword = await register(narrow, { email: 'ada@example.org' })
    expect([byPassword.status, byPassword.body]).toEqual([
      403,
      { error: 'E-mail addresses of this domain may not have an account here.' },
    ])
    expect((await register(narrow, { email: 'ada@example.com' })).status).toBe(201)
  })
})

describe('an account that has the address already', () => {
  const exists =
    'An account with your e-mail address exists. Sign in to it as before, and link Keycloak to it there.'

  test('is not linked silently, whatever the case of the address', async () => {
    await owner(ctx)
    await register(service, { email: 'Ada@Example.org' })
    idp.person = { ...idp.person, email: 'aDA@exAMPle.org' }
    const browser = ssoBrowser(service)
    const { status, body } = await browser.signIn('keycloak', idp)
    expect([status, body]).toEqual([403, { error: exists }])
    expect(browser.session()).toBe('')
    expect(await ctx.db`select 1 from sso_identities`).toHaveLength(0)
    const [user] = await ctx.db`select id, email_verified_at from users where email_key = 'ada@example.org'`
    expect(user?.email_verified_at).toBeNull()
    const [entry] = await ctx.db`select * from audit_entries where event_type = 'user.sign_in_failed'`
    expect(entry).toMatchObject({
      resource_id: user?.id,
      actor_id: user?.id,
      description: `Sign-in with Keycloak failed: ${exists}`,
    })
  })

  test('is taken over with an invite where nobody verified it; who registered it keeps no way in', async () => {
    await owner(ctx)
    await register(service, { email: 'ada@example.org', full_name: 'Eve' })
    const eve = await signIn(service, 'ada@example.org')
    await ctx.db`
      insert into passkeys (id, user_id, rp_id, credential_id, public_key, counter, transports, name, created_at)
      select gen_random_uuid(), id, 'localhost', 'x', 'x', 0, '{}', 'Eve', now() from users
      where email = 'ada@example.org'`
    const browser = ssoBrowser(service)
    const { status } = await browser.signIn('keycloak', idp, { invite: await invite('ada@example.org') })
    expect(status).toBe(302)
    expect(await me(browser)).toMatchObject({ name: 'Ada Lovelace', role: { name: 'Developer' } })
    expect((await eve.post('/session')).status).toBe(401)
    expect((await service.as(eve.token).get('/v1/me')).status).toBe(401)
    expect((await login(service, 'ada@example.org', PASSWORD)).status).toBe(401)
    expect(await ctx.db`select 1 from passkeys`).toHaveLength(0)
    const [entry] =
      await ctx.db`select new_values from audit_entries where event_type = 'user.identity_linked'`
    expect(entry?.new_values).toEqual({ provider: 'keycloak', by: 'invite' })
  })

  test('loses identities that who registered it has linked', async () => {
    await owner(ctx)
    await register(service, { email: 'ada@example.org' })
    const eve = ssoBrowser(service)
    const { cookie } = await signIn(service, 'ada@example.org')
    eve.plant('keyward_session', cookie.split('=')[1] ?? '', '/')
    idp.person = { sub: 'eve', email: 'eve@example.org', email_verified: true, name: 'Eve' }
    expect((await eve.comeBack(await idp.visit(await eve.beginLink('keycloak')))).status).toBe(302)
    idp.person = { sub: 'ada', email: 'ada@example.org', email_verified: true, name: 'Ada Lovelace' }
    const ada = ssoBrowser(service)
    await ada.signIn('keycloak', idp, { invite: await invite('ada@example.org') })
    expect(await ctx.db`select subject from sso_identities`).toEqual([{ subject: 'ada' }] as never)
  })

  test('loses passkeys and the authenticator app of who registered it', async () => {
    await owner(ctx)
    await register(service, { email: 'ada@example.org' })
    const eve = await signIn(service, 'ada@example.org')
    const { authenticator } = await addPasskey(eve)
    await setUpTotp(ctx, eve)
    const token = await invite('ada@example.org')
    expect((await ssoBrowser(service).signIn('keycloak', idp, { invite: token })).status).toBe(302)
    const page = visitor(service)
    const passkey = await page.assertion(authenticator)
    expect((await page.post('/passkeys/sign-in', { passkey })).status).toBe(401)
    expect(await ctx.db`select 1 from totp_secrets`).toHaveLength(0)
    expect(await ctx.db`select 1 from recovery_codes`).toHaveLength(0)
  })

  test('is not taken over where it was verified, or was a member once', async () => {
    const grace = await owner(ctx)
    await register(service, { email: 'ada@example.org' })
    const token = await invite('ada@example.org')
    await ctx.db`update users set email_verified_at = now() where email = 'ada@example.org'`
    const verified = await ssoBrowser(service).signIn('keycloak', idp, { invite: token })
    expect([verified.status, verified.body]).toEqual([403, { error: exists }])

    const { id, userId } = await member(ctx, 'developer')
    await ctx.db`update users set email = 'once@example.org', email_key = 'once@example.org', email_verified_at = null where id = ${userId}`
    await service.as(grace.token).delete(`/v1/members/${id}`)
    idp.person = { ...idp.person, email: 'once@example.org' }
    const once = await ssoBrowser(service).signIn('keycloak', idp, {
      invite: await invite('once@example.org'),
    })
    expect([once.status, once.body]).toEqual([403, { error: exists }])
    expect(await ctx.db`select state from invites where state = 'pending'`).toHaveLength(2)
  })

  test('is linked once where an operator has permitted it, within its time', async () => {
    await owner(ctx)
    await register(service, { email: 'ada@example.org' })
    const permit = (seconds: number) =>
      ctx.db`
        update users set link_allowed_until = ${new Date(ctx.clock.now().getTime() + seconds * 1000)}
        where email = 'ada@example.org'`
    await permit(0)
    expect((await ssoBrowser(service).signIn('keycloak', idp)).status).toBe(403)
    await permit(60)
    const browser = ssoBrowser(service)
    expect((await browser.signIn('keycloak', idp)).status).toBe(302)
    expect(await me(browser)).toMatchObject({ email: 'ada@example.org' })
    expect((await login(service, 'ada@example.org', PASSWORD)).status).toBe(200)
    const [user] = await ctx.db`
      select link_allowed_until, email_verified_at is not null as verified from users where email = 'ada@example.org'`
    expect(user).toEqual({ link_allowed_until: null, verified: true })
    const [entry] =
      await ctx.db`select new_values from audit_entries where event_type = 'user.identity_linked'`
    expect(entry?.new_values).toEqual({ provider: 'keycloak', by: 'operator' })
    idp.person = { ...idp.person, sub: 'another' }
    expect((await ssoBrowser(service).signIn('keycloak', idp)).status).toBe(403)
  })

  test('is not linked for an operator while the provider has not verified the address', async () => {
    await owner(ctx)
    await register(service, { email: 'ada@example.org' })
    await ctx.db`update users set link_allowed_until = ${new Date(Date.now() + 60_000)} where email = 'ada@example.org'`
    idp.person = { ...idp.person, email_verified: false }
    expect((await ssoBrowser(service).signIn('keycloak', idp)).status).toBe(403)
    expect(await ctx.db`select 1 from sso_identities`).toHaveLength(0)
  })
})

describe('where password authentication is off', () => {
  test('every password route is 403 before its body is read, and single sign-on works', async () => {
    const without = configured({ ENABLE_PASSWORD_AUTH: 'false' })
    for (const path of ['register', 'login', 'change', 'forgot', 'reset']) {
      const { status, body } = await without.anonymous.send('POST', `/service/auth/password/${path}/`, {
        body: '{',
        headers: { 'content-type': 'text/plain' },
      })
      expect([path, status, body]).toEqual([path, 403, { error: 'Password authentication is switched off.' }])
    }
    const browser = ssoBrowser(without)
    expect((await browser.signIn('keycloak', idp)).status).toBe(302)
    expect(await me(browser)).toMatchObject({ role: { name: 'Owner' } })
    expect((await without.anonymous.get('/service/auth/methods/')).body).toMatchObject({
      password: false,
      providers: [{ id: 'keycloak' }],
    })
    expect((await browser.get('/service/auth/sessions/')).body.data).toHaveLength(1)
    expect((await browser.post('/service/auth/logout/')).status).toBe(204)
  })
})
