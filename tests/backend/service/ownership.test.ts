import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { addMember } from '../../../src/core/members/addition.ts'
import type { RoleKind } from '../../../src/core/permissions.ts'
import { api } from '../../support/api.ts'
import { entriesAbout } from '../../support/audit-entries.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { addPasskey, codeAt, setUpTotp, visitor } from '../../support/factors.ts'
import { roleOf, serviceAccount, token } from '../../support/people.ts'
import { type Browser, newEmail, register, signIn } from '../../support/sign-in.ts'

let ctx: TestContext
let service: ReturnType<typeof api>
let replica: ReturnType<typeof api>
let ada: Somebody

type Somebody = { memberId: string; browser: Browser }

beforeEach(async () => {
  await ctx?.close()
  ctx = await testContext({ RATE_LIMIT_AUTH: 'off' })
  service = api(ctx)
  replica = api(ctx)
  const email = newEmail()
  const { body } = await register(service, { email })
  ada = { memberId: body.member.id, browser: await signIn(service, email) }
})
afterAll(() => ctx.close())

/** A member with a default role, signed in. */
async function somebody(kind: RoleKind): Promise<Somebody> {
  const email = newEmail()
  const { user } = (await register(service, { email })).body
  const role = await roleOf(ctx, kind)
  const membership = { organisationId: role.organisation_id, userId: user.id, role }
  const memberId = await ctx.db.begin((tx) => addMember(ctx, tx, membership))
  return { memberId, browser: await signIn(service, email) }
}

const transfer = (from: Somebody, to: string, at = service) =>
  from.browser.at(at).post('/ownership/transfer/', { member_id: to })

const roleNames = async (...ids: string[]) => {
  const rows = await ctx.db<
    { id: string; role_kind: string }[]
  >`select id, role_kind from principals where id = any(${ids})`
  return ids.map((id) => rows.find((row) => row.id === id)?.role_kind)
}

describe('POST /service/auth/ownership/transfer/', () => {
  test('makes an Admin the Owner and the Owner an Admin, from the next request on', async () => {
    const grace = await somebody('admin')
    ctx.clock.advance(600)
    const { status, body } = await transfer(ada, grace.memberId)
    expect([status, body]).toEqual([204, ''])
    expect(await roleNames(ada.memberId, grace.memberId)).toEqual(['admin', 'owner'])
    const pat = await token(ctx, grace.memberId, 'pat')
    for (const [id, name] of [
      [ada.memberId, 'Admin'],
      [grace.memberId, 'Owner'],
    ]) {
      const updatedAt = ctx.clock.now().toISOString()
      const member = await replica.as(pat).get(`/v1/members/${id}`)
      expect(member.body).toMatchObject({ role: { name }, updatedAt })
    }
    const organisationId = (await roleOf(ctx, 'owner')).organisation_id
    expect((await entriesAbout(ctx, organisationId)).at(-1)).toEqual({
      event_type: 'organisation.ownership_transferred',
      resource_type: 'organisation',
      actor_id: ada.memberId,
      resource_metadata: {},
      old_values: { ownerId: ada.memberId },
      new_values: { ownerId: grace.memberId },
      description: 'Ownership transferred; the former Owner is now an Admin.',
    })
    expect((await transfer(ada, grace.memberId)).status).toBe(403)
    expect((await transfer(grace, ada.memberId)).status).toBe(204)
  })

  test('asks for a new sign-in, which the audit log tells and what needs attention does not count', async () => {
    const grace = await somebody('admin')
    ctx.clock.advance(601)
    const { status, body } = await transfer(ada, grace.memberId)
    expect([status, body.error]).toEqual([403, expect.stringMatching(/^Sign in again: /)])
    const client = service.as(await token(ctx, ada.memberId, 'pat'))
    const denials = async () => (await client.get('/v1/attention')).body.recentDenials
    expect(await denials()).toEqual({ total: 0, data: [] })
    expect((await client.get('/v1/logs/audit?outcome=refused')).body.data).toHaveLength(1)
    expect((await transfer(grace, grace.memberId)).status).toBe(403)
    expect(await denials()).toMatchObject({ total: 1, data: [{ actorId: grace.memberId }] })
  })

  test('is 401 without the cookie: also with a bearer of the session, or an access token', async () => {
    const path = '/service/auth/ownership/transfer'
    const body = { member_id: ada.memberId }
    expect((await service.anonymous.post(path, body)).status).toBe(401)
    expect((await service.as(ada.browser.token).post(path, body)).status).toBe(401)
    expect((await service.as(await token(ctx, ada.memberId, 'pat')).post(path, body)).status).toBe(401)
  })

  test('is 403 more than ten minutes after the sign-in, however fresh the bearer, before the body is looked at', async () => {
    const grace = await somebody('admin')
    ctx.clock.advance(601)
    await ada.browser.post('/session')
    const { status, body } = await transfer(ada, grace.memberId)
    expect(status).toBe(403)
    expect(body.error).toMatch(/^Sign in again/)
    expect((await ada.browser.post('/ownership/transfer', { nonsense: true })).status).toBe(403)
    expect(await roleNames(ada.memberId, grace.memberId)).toEqual(['owner', 'admin'])
  })

  test('is 403 with a sign-in from the future: the clock was set back, and nobody knows how old it is', async () => {
    const grace = await somebody('admin')
    for (const seconds of [1, 299]) {
      ctx.clock.advance(-seconds)
      const { status, body } = await transfer(ada, grace.memberId)
      expect([status, body.error]).toEqual([403, expect.stringMatching(/^Sign in again/)])
    }
    expect(await roleNames(ada.memberId, grace.memberId)).toEqual(['owner', 'admin'])
    ctx.clock.advance(300)
    expect((await transfer(ada, grace.memberId)).status).toBe(204)
  })

  test('is 403 for everyone but the Owner, and the refusal is an entry', async () => {
    for (const kind of ['admin', 'manager'] as const) {
      const other = await somebody(kind)
      const { status, body } = await transfer(other, other.memberId)
      expect([status, body]).toEqual([403, { error: 'Only the Owner can transfer ownership.' }])
      expect(
        await ctx.db`select 1 from audit_entries where actor_id = ${other.memberId} and event_type like '%refused'`,
      ).toHaveLength(1)
    }
    const email = newEmail()
    await register(service, { email })
    const outsider = await signIn(service, email)
    expect((await outsider.post('/ownership/transfer', { member_id: ada.memberId })).status).toBe(403)
  })

  test.each([{}, { member_id: null }, { member_id: 7 }, { member_id: 'x', extra: 1 }, 'text'])(
    'is 400 for %j',
    async (body) => {
      expect((await ada.browser.post('/ownership/transfer', body)).status).toBe(400)
    },
  )

  test('is 404 for whoever is no live member', async () => {
    const gone = await somebody('admin')
    const pat = await token(ctx, ada.memberId, 'pat')
    expect((await service.as(pat).delete(`/v1/members/${gone.memberId}`)).status).toBe(204)
    const robot = await serviceAccount(ctx, 'service')
    for (const id of [gone.memberId, robot.id, randomUUID(), 'nonsense']) {
      expect((await transfer(ada, id)).status).toBe(404)
    }
  })

  test('is 403 to a member without global access, and to oneself', async () => {
    const developer = await somebody('developer')
    const refused = await transfer(ada, developer.memberId)
    expect([refused.status, refused.body]).toEqual([
      403,
      { error: 'The new Owner must hold a role with global access, such as Admin.' },
    ])
    expect((await transfer(ada, ada.memberId)).status).toBe(403)
    expect(await roleNames(ada.memberId, developer.memberId)).toEqual(['owner', 'developer'])
  })

  test('asks an Owner with a second factor for it again, and uses it only if it succeeds', async () => {
    const grace = await somebody('admin')
    const { secret, recoveryCodes } = await setUpTotp(ctx, ada.browser)
    const send = (factor: object, member_id = grace.memberId) =>
      ada.browser.post('/ownership/transfer/', { member_id, ...factor })
    const refused = await send({})
    expect([refused.status, refused.body.error]).toEqual([
      403,
      'Confirm this with your second factor: send totp, recovery_code or passkey.',
    ])
    expect((await send({ totp: codeAt(ctx, secret) })).status).toBe(401)
    expect((await send({ totp: '000000', recovery_code: 'x' })).status).toBe(400)
    ctx.clock.advance(60)
    const totp = codeAt(ctx, secret)
    expect((await send({ totp }, randomUUID())).status).toBe(404)
    expect((await send({ recovery_code: recoveryCodes[0] }, randomUUID())).status).toBe(404)
    expect(await roleNames(ada.memberId)).toEqual(['owner'])
    expect((await send({ totp })).status).toBe(204)
    expect(await roleNames(ada.memberId, grace.memberId)).toEqual(['admin', 'owner'])
  })

  test('takes the passkey of the Owner in the browser that asked for the challenge, and no other passkey', async () => {
    const grace = await somebody('admin')
    const { authenticator } = await addPasskey(ada.browser)
    const { authenticator: hers } = await addPasskey(grace.browser)
    const page = visitor(service, new Map([ada.browser.cookie.split('=') as [string, string]]))
    const send = (passkey: object, from = page) =>
      from.post('/ownership/transfer', { member_id: grace.memberId, passkey })
    expect((await send(await page.assertion(hers))).status).toBe(401)
    const elsewhere = visitor(service, new Map(page.jar).set('keyward_browser', 'x'.repeat(43)))
    expect((await send(await elsewhere.assertion(authenticator))).status).toBe(401)
    expect((await send(await page.assertion(authenticator))).status).toBe(204)
  })

  test('twice at the same moment to two people it ends with one Owner', async () => {
    const [grace, mary] = [await somebody('admin'), await somebody('admin')]
    const answers = await Promise.all([transfer(ada, grace.memberId), transfer(ada, mary.memberId, replica)])
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 403])
    const kinds = await roleNames(ada.memberId, grace.memberId, mary.memberId)
    expect(kinds.toSorted()).toEqual(['admin', 'admin', 'owner'])
    expect(kinds[0]).toBe('admin')
  })

  test('beside the removal or demotion of the new Owner it ends in one of the two', async () => {
    for (const act of ['remove', 'demote'] as const) {
      const grace = await somebody('admin')
      const other = await token(ctx, (await somebody('admin')).memberId, 'pat')
      const developer = await roleOf(ctx, 'developer')
      const path = `/v1/members/${grace.memberId}`
      const [transferred, changed] = await Promise.all([
        transfer(ada, grace.memberId),
        act === 'remove'
          ? replica.as(other).delete(path)
          : replica.as(other).put(path, { role_id: developer.id }),
      ])
      const [kind] = await roleNames(ada.memberId)
      if (transferred.status === 204) {
        expect([changed.status, kind]).toEqual([403, 'admin'])
        ctx.clock.advance(1)
        expect((await transfer(grace, ada.memberId)).status).toBe(204)
      } else {
        expect([403, 404]).toContain(transferred.status)
        expect([[200, 204].includes(changed.status), kind]).toEqual([true, 'owner'])
      }
    }
  })
})
