import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { openReadMemory } from '../../../src/context.ts'
import { addMember } from '../../../src/core/members/addition.ts'
import type { RoleKind } from '../../../src/core/permissions.ts'
import type { ReadMemory } from '../../../src/platform/read-memory.ts'
import { api } from '../../support/api.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { addPasskey, setUpTotp, visitor } from '../../support/factors.ts'
import { roleOf, serviceAccount, token } from '../../support/people.ts'
import { type Browser, newEmail, PASSWORD, register, signIn } from '../../support/sign-in.ts'
import { countStatements } from '../../support/statements.ts'

let ctx: TestContext
let service: ReturnType<typeof api>
let ownerEmail: string
let ownerId: string

const SENTENCE = 'Set up a second factor first: this deployment requires one.'

type Requirement = 'off' | 'admins' | 'everyone'
/** A backend of its own: what is remembered belongs to one configuration. */
function requiring(requireSecondFactor: Requirement) {
  const memory = openReadMemory(ctx.config, ctx.database.config, ctx.metrics)
  if (memory !== null) memories.push(memory)
  return api({ ...ctx, memory, config: { ...ctx.config, requireSecondFactor } })
}
const memories: ReadMemory[] = []
const endMemories = () => Promise.all(memories.splice(0).map((memory) => memory.end()))

beforeEach(async () => {
  await endMemories()
  await ctx?.close()
  ctx = await testContext({ RATE_LIMIT_AUTH: 'off' })
  service = api(ctx)
  ownerEmail = newEmail()
  ownerId = (await register(service, { email: ownerEmail })).body.member.id
})
afterAll(async () => {
  await endMemories()
  await ctx.close()
})

async function memberWith(kind: RoleKind) {
  const email = newEmail()
  const { user } = (await register(service, { email })).body
  const role = await roleOf(ctx, kind)
  const membership = { organisationId: role.organisation_id, userId: user.id, role }
  const id = await ctx.db.begin((tx) => addMember(ctx, tx, membership))
  return { id, userId: user.id as string, browser: await signIn(service, email) }
}

/** The status of a read with a bearer, and of one with the cookie. */
async function opens(session: Browser, at: ReturnType<typeof api>): Promise<number[]> {
  const bearer = await at.as(session.token).get('/v1/roles')
  return [bearer.status, (await session.at(at).get('/sessions')).status]
}

describe('REQUIRE_SECOND_FACTOR', () => {
  test('asks nobody, those with global access, or everyone, as it says', async () => {
    const sessions = {
      owner: await signIn(service, ownerEmail),
      admin: (await memberWith('admin')).browser,
      developer: (await memberWith('developer')).browser,
    }
    const table: [Requirement, Record<keyof typeof sessions, number>][] = [
      ['off', { owner: 200, admin: 200, developer: 200 }],
      ['admins', { owner: 403, admin: 403, developer: 200 }],
      ['everyone', { owner: 403, admin: 403, developer: 403 }],
    ]
    for (const [requirement, expected] of table) {
      for (const [kind, status] of Object.entries(expected)) {
        const found = await opens(sessions[kind as keyof typeof sessions], requiring(requirement))
        expect([requirement, kind, ...found]).toEqual([requirement, kind, status, status])
      }
    }
  })

  test('leaves who lacks it nothing but setting one up, signing out, and asking who one is', async () => {
    const strict = requiring('everyone')
    const session = (await signIn(service, ownerEmail)).at(strict)
    const bearer = strict.as(session.token)
    const open = new Set([
      ...['GET /service/auth/second-factor', 'GET /service/auth/passkeys'],
      ...['POST /service/auth/totp', 'POST /service/auth/totp/confirm', 'DELETE /service/auth/totp'],
      ...['POST /service/auth/passkeys/registration', 'POST /service/auth/passkeys'],
      ...['DELETE /service/auth/passkeys/:id', 'POST /service/auth/recovery-codes', 'GET /v1/me'],
    ])
    type Route = { method: string; path: string; hooks: { detail?: Record<string, unknown> } }
    const routes = (strict.app.routes as unknown as Route[]).filter(
      ({ path, hooks }) => !path.startsWith('/swagger') && hooks.detail?.['x-permission'] !== 'none',
    )
    const refused: string[] = []
    const allowed: string[] = []
    for (const { method, path } of routes) {
      const name = `${method} ${path.replace(/(.)\/$/, '$1')}`
      if (name === 'POST /service/auth/logout') continue
      const asked = path.replace(/:[a-z_]+/g, crypto.randomUUID())
      const body = method === 'GET' ? {} : { body: '{', headers: { 'content-type': 'application/json' } }
      const answer = /^\/(?:v1|service\/secrets)\b/.test(path)
        ? await bearer.send(method, asked, body)
        : await session.send(method, asked.replace('/service/auth', ''), method === 'GET' ? undefined : {})
      if (answer.status === 403 && answer.body.error === SENTENCE) refused.push(name)
      else allowed.push(name)
    }
    expect(new Set(allowed)).toEqual(open)
    expect(refused.length).toBeGreaterThan(40)
    expect((await session.get('/second-factor')).body.required).toBe(true)
    expect((await session.post('/logout', {})).status).toBe(204)
  })

  test('is met as soon as a factor is there, in every session, and missed as soon as it is gone', async () => {
    const strict = requiring('everyone')
    const [one, two] = [await signIn(service, ownerEmail), await signIn(service, ownerEmail)]
    expect(await opens(one, strict)).toEqual([403, 403])
    await setUpTotp(ctx, one.at(strict))
    expect([await opens(one, strict), await opens(two, strict)]).toEqual([
      [200, 200],
      [200, 200],
    ])
    expect((await one.at(strict).get('/second-factor')).body.required).toBe(false)
    expect((await one.at(strict).delete('/totp')).status).toBe(204)
    expect(await opens(two, strict)).toEqual([403, 403])
  })

  test('does not take an app that was never confirmed for a factor', async () => {
    const strict = requiring('everyone')
    const session = await signIn(service, ownerEmail)
    await session.at(strict).post('/totp', {})
    expect(await opens(session, strict)).toEqual([403, 403])
  })

  test('follows a change of role with the next request', async () => {
    const strict = requiring('admins')
    const { id, browser } = await memberWith('developer')
    expect(await opens(browser, strict)).toEqual([200, 200])
    const ada = service.as(await token(ctx, ownerId, 'pat'))
    const admin = await roleOf(ctx, 'admin')
    expect((await ada.put(`/v1/members/${id}`, { role_id: admin.id })).status).toBe(200)
    expect(await opens(browser, strict)).toEqual([403, 403])
  })

  test('counts a passkey and single sign-on as enough, even where the account has no factor', async () => {
    const strict = requiring('everyone')
    const { userId, browser } = await memberWith('developer')
    const { authenticator } = await addPasskey(browser)
    const person = visitor(strict)
    const done = await person.post('/passkeys/sign-in', { passkey: await person.assertion(authenticator) })
    await ctx.db`delete from passkeys where user_id = ${userId}`
    expect((await strict.as(done.body.accessToken).get('/v1/roles')).status).toBe(200)
    expect(await opens(browser, strict)).toEqual([403, 403])
    await ctx.db`update sessions set method = 'sso' where user_id = ${userId}`
    expect(await opens(browser, strict)).toEqual([200, 200])
  })

  test('leaves access tokens alone, but lets nobody who lacks a factor create one', async () => {
    const strict = requiring('everyone')
    const session = await signIn(service, ownerEmail)
    const pat = await token(ctx, ownerId, 'pat')
    const robot = await serviceAccount(ctx, 'service')
    expect((await strict.as(pat).get('/v1/roles')).status).toBe(200)
    expect((await strict.as(robot.token).get('/v1/apps')).status).toBe(200)
    const refused = await strict.as(session.token).post('/v1/tokens', { name: 'x' })
    expect([refused.status, refused.body.error]).toEqual([403, SENTENCE])
    expect((await strict.as(pat).post('/v1/tokens', { name: 'x' })).status).toBe(403)
  })

  test('asks an account without a membership under everyone, and not under admins', async () => {
    const email = newEmail()
    await register(service, { email })
    const session = await signIn(service, email)
    expect((await session.at(requiring('admins')).get('/sessions')).status).toBe(200)
    expect((await session.at(requiring('everyone')).get('/sessions')).status).toBe(403)
    expect((await requiring('everyone').as(session.token).get('/v1/me')).status).toBe(200)
  })

  test('is decided in the statement that finds out who calls', async () => {
    const session = await signIn(service, ownerEmail)
    await setUpTotp(ctx, session)
    const [loose, strict] = [requiring('off'), requiring('everyone')]
    const count = (at: typeof loose) => countStatements(ctx, () => at.as(session.token).get('/v1/roles'))
    await count(strict)
    expect(await count(strict)).toBe(await count(loose))
  })

  test('writes what it refuses to the audit log', async () => {
    const session = await signIn(service, ownerEmail)
    await requiring('everyone').as(session.token).get('/v1/roles')
    expect(
      await ctx.db`select 1 from audit_entries where event_type = 'role.read_refused' and description = ${SENTENCE}`,
    ).toHaveLength(1)
  })

  test('can be met by whoever must change the password too, once it is set up', async () => {
    const strict = requiring('everyone')
    const session = (await signIn(service, ownerEmail)).at(strict)
    const change = { current_password: PASSWORD, new_password: 'another long password' }
    expect((await session.post('/password/change', change)).status).toBe(403)
    await addPasskey(session)
    expect((await session.post('/password/change', change)).status).toBe(204)
  })
})
