import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { hashToken, newToken } from '../../../src/core/tokens/token-text.ts'
import { api, type Client } from '../../support/api.ts'
import { app, type TestApp } from '../../support/apps.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import {
  type Account,
  member,
  owner,
  type Person,
  roleOf,
  serviceAccount,
  session,
  user,
} from '../../support/people.ts'
import { sealedSecret, secretsOf } from '../../support/secrets.ts'

const DAY_SECONDS = 24 * 60 * 60
const KINDS = ['pendingInvites', 'expiringTokens', 'expiringSecrets', 'membersWithoutAccess', 'recentDenials']

let ctx: TestContext
let service: ReturnType<typeof api>
let ada: Person & { organisationId: string }
let client: Client
let developer: Person
let robot: Account
let shop: TestApp
let hidden: TestApp

beforeAll(async () => {
  ctx = await testContext()
  service = api(ctx)
  ada = await owner(ctx)
  client = service.as(ada.token)
  developer = await member(ctx, 'developer')
  robot = await serviceAccount(ctx, 'service')
  shop = await app(ctx, 'Shop', ['Development', 'Production'])
  hidden = await app(ctx, 'Hidden', ['Production'])
  await client.put(`/v1/members/${developer.id}/access`, {
    apps: [{ id: shop.id, environments: [shop.environments[0]?.id] }],
  })
})
afterAll(() => ctx.close())

const inDays = (days: number) => new Date(ctx.clock.now().getTime() + days * DAY_SECONDS * 1000).toISOString()
const attention = async (caller = client) => (await caller.get('/v1/attention')).body
const idsOf = (kind: { data: { id: string }[] }) => kind.data.map(({ id }) => id)
const environmentOf = (of: TestApp, index = 0) => of.environments[index]?.id ?? ''

/** A token that expires at some time, also one that has. */
async function tokenOf(principalId: string, name: string, days: number): Promise<string> {
  const id = crypto.randomUUID()
  await ctx.db`
    insert into tokens (id, organisation_id, principal_id, name, hash, created_at, expires_at)
    values (${id}, ${ada.organisationId}, ${principalId}, ${name}, ${hashToken(newToken('sat'))}, ${ctx.clock.now()}, ${inDays(days)})`
  return id
}

/** A secret that expires at some time; gives its id. */
async function secretIn(environmentId: string, days: number | null, more: object = {}): Promise<string> {
  const expiresAt = days === null ? null : inDays(days)
  const made = await secretsOf(client, environmentId)('POST', [
    sealedSecret(`NEEDLE_${crypto.randomUUID()}`, 'needle', { expiresAt, ...more }),
  ])
  return made.body[0].id
}

describe('GET /v1/attention', () => {
  test('tells the Owner of every kind, and of nothing where there is nothing', async () => {
    const { status, body } = await client.get('/v1/attention/')
    expect(status).toBe(200)
    expect(Object.keys(body)).toEqual(KINDS)
    for (const kind of KINDS) expect(body[kind], kind).toEqual({ total: 0, data: [] })
  })

  test('tells of invites by their expiry, without their links', async () => {
    const role_id = (await roleOf(ctx, 'developer')).id
    const first = (await client.post('/v1/members/invites', { email: 'first@example.org', role_id })).body
    ctx.clock.advance(DAY_SECONDS)
    const second = (await client.post('/v1/members/invites', { email: 'second@example.org', role_id })).body
    const { inviteUrl: _, ...shown } = first
    const { pendingInvites } = await attention()
    expect(pendingInvites.data[0]).toEqual(shown)
    expect(idsOf(pendingInvites)).toEqual([first.id, second.id])
    expect(pendingInvites.total).toBe(2)
    ctx.clock.advance(13 * DAY_SECONDS)
    expect(idsOf((await attention()).pendingInvites)).toEqual([second.id])
  })

  test('tells of tokens that expire within two weeks, or have expired in the last', async () => {
    const [gone, late, soon] = [-8, 15, 14]
    await tokenOf(robot.id, 'gone', gone)
    await tokenOf(robot.id, 'late', late)
    const wanted = [
      await tokenOf(robot.id, 'ended', -6.9),
      await tokenOf(ada.id, 'own', 1),
      await tokenOf(robot.id, 'soon', soon),
    ]
    await tokenOf(developer.id, 'of somebody else', 1)
    const { expiringTokens } = await attention()
    expect(idsOf(expiringTokens)).toEqual(wanted)
    expect(expiringTokens.total).toBe(3)
    expect(expiringTokens.data[1]).toEqual({
      id: wanted[1],
      name: 'own',
      format: 'keyward',
      principal: { type: 'user', id: ada.id, name: 'Ada Example' },
      expiresAt: inDays(1),
      lastUsedAt: null,
    })
    expect(expiringTokens.data[0].principal).toEqual({ type: 'service_account', id: robot.id, name: 'Robot' })
    const own = (await attention(service.as(developer.token))).expiringTokens
    expect(own).toMatchObject({ total: 1, data: [{ name: 'of somebody else' }] })
  })

  test('tells of secrets without their names: what expires next, then what has expired', async () => {
    const [open, closed] = [environmentOf(shop), environmentOf(hidden)]
    await secretIn(open, null)
    await secretIn(open, 15)
    const [sealed, next] = [
      await secretIn(open, 13, { type: 'sealed', path: '/db' }),
      await secretIn(open, 2),
    ]
    const elsewhere = await secretIn(closed, 5)
    const [long, ended] = [await secretIn(open, -400), await secretIn(open, -1)]
    const { expiringSecrets } = await attention()
    expect(idsOf(expiringSecrets)).toEqual([next, elsewhere, sealed, ended, long])
    expect(expiringSecrets.total).toBe(5)
    expect(expiringSecrets.data[2]).toEqual({
      id: sealed,
      path: '/db',
      type: 'sealed',
      expiresAt: inDays(13),
      appId: shop.id,
      appName: 'Shop',
      environmentId: open,
      environmentName: 'Development',
    })
    expect(JSON.stringify(expiringSecrets)).not.toMatch(/needle|ph:v1/i)
    const seen = (await attention(service.as(developer.token))).expiringSecrets
    expect(idsOf(seen)).toEqual([next, sealed, ended, long])
    expect(seen.total).toBe(4)
  })

  test('tells of members who can open nothing, not of those with a grant or global access', async () => {
    await member(ctx, 'admin')
    const idle = await member(ctx, 'manager')
    expect(idsOf((await attention()).membersWithoutAccess)).toEqual([idle.id])
    const { data } = (await client.get(`/v1/members`)).body
    expect((await attention()).membersWithoutAccess.data).toEqual([
      data.find(({ id }: { id: string }) => id === idle.id),
    ])
    const everything = { apps: [{ id: shop.id, environments: [environmentOf(shop)] }] }
    await client.put(`/v1/members/${idle.id}/access`, everything)
    expect((await attention()).membersWithoutAccess).toEqual({ total: 0, data: [] })
    await client.put(`/v1/members/${idle.id}/access`, { apps: [] })
    expect((await attention()).membersWithoutAccess.total).toBe(1)
    await client.delete(`/v1/members/${idle.id}`)
    expect((await attention()).membersWithoutAccess.total).toBe(0)
  })

  test('tells of refusals of a week, counted, and only of what the caller can see', async () => {
    const none = { name: 'Nothing', permissions: { permissions: {}, app_permissions: {} } }
    const nobody = service.as((await member(ctx, (await client.post('/v1/roles', none)).body)).token)
    const before = (await attention()).recentDenials.total
    for (const _ of [1, 2, 3]) await nobody.get(`/v1/environments/${environmentOf(shop)}`)
    await nobody.get(`/v1/environments/${environmentOf(hidden)}`)
    // Anybody may have an account: what strangers are refused must not hide what members are.
    const stranger = service.as(await session(ctx, await user(ctx)))
    expect((await stranger.get(`/v1/environments/${environmentOf(shop)}`)).status).toBe(403)
    const { recentDenials } = await attention()
    expect(recentDenials.total).toBe(before + 2)
    expect(recentDenials.data).toContainEqual(
      expect.objectContaining({
        eventType: 'environment.read_refused',
        resourceId: environmentOf(shop),
        count: 3,
      }),
    )
    const seen = (await attention(service.as(developer.token))).recentDenials
    expect(seen.total).toBe(before + 1)
    expect(JSON.stringify(seen)).not.toContain(environmentOf(hidden))
    ctx.clock.advance(8 * DAY_SECONDS)
    expect((await attention()).recentDenials).toEqual({ total: 0, data: [] })
  })

  test('leaves out every kind that the caller may not read', async () => {
    const kindsOf = async (permissions: object, app_permissions: object = {}) => {
      const name = `Role ${crypto.randomUUID()}`
      const role = await client.post('/v1/roles', { name, permissions: { permissions, app_permissions } })
      const [person, machine] = [await member(ctx, role.body), await serviceAccount(ctx, role.body)]
      const answers = [await attention(service.as(person.token)), await attention(service.as(machine.token))]
      return answers.map((answer) => Object.keys(answer))
    }
    const [invites, tokens, secrets, members, denials] = KINDS
    expect(await kindsOf({})).toEqual([[tokens], []] as never)
    expect(await kindsOf({ Members: ['read'] })).toEqual([
      [invites, tokens, members],
      [invites, members],
    ] as never)
    expect(await kindsOf({ ServiceAccountTokens: ['read'] })).toEqual([[tokens], [tokens]] as never)
    expect(await kindsOf({}, { Secrets: ['read'] })).toEqual([[tokens, secrets], [secrets]] as never)
    expect(await kindsOf({ Logs: ['read'] })).toEqual([[tokens, denials], [denials]] as never)
    expect(await kindsOf({ Members: ['create'] }, { Members: ['read'], Logs: ['read'] })).toEqual([
      [tokens],
      [],
    ] as never)
  })

  test('is 401 without credentials, and 403 for an account without a membership', async () => {
    expect((await service.anonymous.get('/v1/attention')).status).toBe(401)
    const stranger = service.as(await session(ctx, await user(ctx)))
    expect((await stranger.get('/v1/attention')).status).toBe(403)
  })
})
