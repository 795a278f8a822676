import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { newToken } from '../../../src/core/tokens/token-text.ts'
import { api, type Client } from '../../support/api.ts'
import { app } from '../../support/apps.ts'
import { type TestContext, testContext, uniqueName } from '../../support/context.ts'
import { eventually } from '../../support/eventually.ts'
import { member, owner, serviceAccount, session } from '../../support/people.ts'
import type { Route } from '../../support/permission-table.ts'
import { sealedSecret, secretsOf } from '../../support/secrets.ts'

let ctx: TestContext
let service: ReturnType<typeof api>
let ada: Awaited<ReturnType<typeof owner>>
let admin: Client
let appId: string
let environmentId: string
let secretId: string

beforeAll(async () => {
  ctx = await testContext()
  service = api(ctx)
  ada = await owner(ctx)
  admin = service.as(ada.token)
  const shop = await app(ctx, undefined, ['Development', 'Staging'])
  appId = shop.id
  environmentId = shop.environments[0]?.id ?? ''
  const secrets = secretsOf(admin, environmentId)
  secretId = (await secrets('POST', [sealedSecret('ONE')])).body[0].id
})
afterAll(() => ctx.close())

const metric = (what: string, result: string) =>
  Number(
    new RegExp(`memory_reads_total{what="${what}",result="${result}"} (\\d+)`).exec(ctx.metrics.text())?.[1],
  )

/** A read, with the header that some routes need. */
const get = (client: Client, path: string) =>
  client.send('GET', path, { headers: { environment: environmentId } })

/** Whether a read was sent from memory; it must succeed. */
async function isFromMemory(client: Client, path: string): Promise<boolean> {
  const before = metric('answer', 'hit')
  expect((await get(client, path)).status, path).toBe(200)
  return metric('answer', 'hit') > before
}

/** Each GET with an example of its path; the answers that are sent from memory first. */
async function examples() {
  const robot = await serviceAccount(ctx, 'service')
  const role = (await admin.get('/v1/roles')).body.data[0].id
  const remembered = {
    '/service/secrets': '/service/secrets/',
    '/service/secrets/tokens': '/service/secrets/tokens',
    '/v1/access': '/v1/access',
    '/v1/apps': '/v1/apps',
    '/v1/apps/:id': `/v1/apps/${appId}`,
    '/v1/environments': `/v1/environments?app_id=${appId}`,
    '/v1/environments/:id': `/v1/environments/${environmentId}`,
    '/v1/me': '/v1/me',
    '/v1/members/:id': `/v1/members/${ada.id}`,
    '/v1/members/:id/access': `/v1/members/${ada.id}/access`,
    '/v1/organisation': '/v1/organisation',
    '/v1/roles': '/v1/roles',
    '/v1/roles/:id': `/v1/roles/${role}`,
    '/v1/secrets/:id/versions': `/v1/secrets/${secretId}/versions`,
    '/v1/service-accounts/:id/access': `/v1/service-accounts/${robot.id}/access`,
  }
  const readEachTime = {
    '/v1/attention': '/v1/attention',
    '/v1/logs/audit': '/v1/logs/audit',
    '/v1/me/keys': '/v1/me/keys',
    '/v1/members': '/v1/members?limit=3',
    '/v1/members/invites': '/v1/members/invites',
    '/v1/secrets': `/v1/secrets?app_id=${appId}&env=staging`,
    '/v1/secrets/diff': `/v1/secrets/diff?app_id=${appId}&from=staging&to=staging`,
    '/v1/secrets/export': `/v1/secrets/export?app_id=${appId}&env=staging`,
    '/v1/service-accounts': '/v1/service-accounts',
    '/v1/service-accounts/:id': `/v1/service-accounts/${robot.id}`,
    '/v1/service-accounts/:id/tokens': `/v1/service-accounts/${robot.id}/tokens`,
    '/v1/tokens': '/v1/tokens',
  }
  return { remembered, readEachTime }
}

describe('every GET of /v1 and /service/secrets', () => {
  test('says whether its answer may come from memory, and why not', async () => {
    const { remembered, readEachTime } = await examples()
    const routes = (service.app.routes as unknown as Route[]).filter(
      ({ method, path }) => method === 'GET' && /^\/(?:v1|service\/secrets)\//.test(path),
    )
    const declared = (isRemembered: boolean) =>
      routes
        .filter(
          ({ hooks }) =>
            !/"n(?:ot|ever)":/.test(JSON.stringify(hooks.detail?.['x-remember'] ?? {})) === isRemembered,
        )
        .map(({ path }) => path.replace(/(.)\/$/, '$1'))
        .sort()
    expect(declared(true)).toEqual(Object.keys(remembered).sort())
    expect(declared(false)).toEqual(Object.keys(readEachTime).sort())
    for (const { path, hooks } of routes) {
      const reason = hooks.detail?.['x-remember']
      const told = reason as true | { by?: string[]; not?: string; never?: string } | undefined
      if (told !== true && told?.by === undefined) expect(told?.not ?? told?.never, path).toMatch(/\w+ \w+/)
    }
  })

  test('that may is sent from memory until something changes; every other one is read each time', async () => {
    const { remembered, readEachTime } = await examples()
    for (const path of Object.values(remembered)) {
      await isFromMemory(admin, path)
      const first = await get(admin, path)
      expect(await isFromMemory(admin, path), path).toBe(true)
      await ctx.db`update deployment set server_key_id = server_key_id`
      expect(await isFromMemory(admin, path), path).toBe(false)
      const later = await get(admin, path)
      expect([later.body, later.headers.get('etag')], path).toEqual([first.body, first.headers.get('etag')])
      const without = await get(api({ ...ctx, memory: null }).as(ada.token), path)
      expect([without.body, withoutIds(without.headers)], path).toEqual([
        later.body,
        withoutIds(later.headers),
      ])
    }
    for (const path of Object.values(readEachTime)) {
      await admin.get(path)
      expect(await isFromMemory(admin, path), path).toBe(false)
    }
  })
})

const withoutIds = (headers: Headers) => {
  const { 'x-request-id': _, ...others } = Object.fromEntries(headers)
  return others
}

describe('an answer from memory', () => {
  test('is the caller’s own: another one has another', async () => {
    const grace = service.as((await member(ctx, 'developer')).token)
    await app(ctx)
    const all = (await admin.get('/v1/apps')).body.data
    expect(await isFromMemory(admin, '/v1/apps')).toBe(true)
    expect((await grace.get('/v1/apps')).body.data).toEqual([])
    expect((await admin.get('/v1/apps')).body.data).toEqual(all)
  })

  test('is refused to whoever may no longer read it, in the next request', async () => {
    const grace = await member(ctx, 'admin')
    const client = service.as(grace.token)
    await client.get('/v1/roles')
    expect(await isFromMemory(client, '/v1/roles')).toBe(true)
    const { body: role } = await admin.post('/v1/roles', {
      name: uniqueName('Nothing'),
      permissions: { permissions: {}, app_permissions: {} },
    })
    expect((await admin.put(`/v1/members/${grace.id}`, { role_id: role.id })).status).toBe(200)
    expect((await client.get('/v1/roles')).status).toBe(403)
    expect((await admin.delete(`/v1/members/${grace.id}`)).status).toBe(204)
    expect((await client.get('/v1/roles')).status).toBe(401)
  })

  test('is refused once the token, the session token or the session has expired', async () => {
    const grace = await member(ctx, 'admin')
    const inSession = service.as(await session(ctx, grace.userId))
    const client = service.as(grace.token)
    const soon = new Date(ctx.clock.now().getTime() + 60_000)
    await ctx.db`update tokens set expires_at = ${soon} where principal_id = ${grace.id}`
    for (const one of [client, inSession]) {
      await one.get('/v1/roles')
      expect(await isFromMemory(one, '/v1/roles')).toBe(true)
    }
    ctx.clock.advance(61)
    expect((await client.get('/v1/roles')).status).toBe(401)
    expect((await inSession.get('/v1/roles')).status).toBe(200)
    ctx.clock.advance(15 * 60)
    expect((await inSession.get('/v1/roles')).status).toBe(401)
  })

  test('is sent in a session whose end a later use has put off, which renews no version', async () => {
    const grace = await member(ctx, 'admin')
    const inSession = service.as(await session(ctx, grace.userId))
    const almost = new Date(ctx.clock.now().getTime() - (7 * 24 * 3600 - 60) * 1000)
    await ctx.db`update sessions set last_used_at = ${almost} where user_id = ${grace.userId}`
    await inSession.get('/v1/roles')
    ctx.clock.advance(30)
    await ctx.db`update sessions set last_used_at = ${ctx.clock.now()} where user_id = ${grace.userId}`
    ctx.clock.advance(40)
    expect((await inSession.get('/v1/roles')).status).toBe(200)
  })

  test('notes the last use of its token once a minute', async () => {
    const grace = await member(ctx, 'admin')
    const client = service.as(grace.token)
    const lastUse = async () =>
      (
        await ctx.db`select last_used_at from tokens where principal_id = ${grace.id}`
      )[0]?.last_used_at?.getTime()
    for (const seconds of [0, 61, 122]) {
      ctx.clock.advance(seconds === 0 ? 0 : 61)
      await client.get('/v1/roles')
      await eventually('the last use is written', async () => (await lastUse()) === ctx.clock.now().getTime())
      ctx.clock.advance(30)
      await client.get('/v1/roles')
      await Bun.sleep(20)
      expect(await lastUse()).toBe(ctx.clock.now().getTime() - 30_000)
      ctx.clock.advance(-30)
    }
  })

  test('counts for rate limits, and has their headers', async () => {
    const limited = await testContext({ RATE_LIMIT_DEFAULT: '5/min' })
    try {
      const { token } = await owner(limited)
      const client = api(limited).as(token)
      const statuses = []
      for (let n = 0; n < 6; n++) statuses.push(await client.get('/v1/roles'))
      expect(statuses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429])
      expect(statuses.map(({ headers }) => headers.get('ratelimit-remaining'))).toEqual([
        '4',
        '3',
        '2',
        '1',
        '0',
        '0',
      ])
    } finally {
      await limited.close()
    }
  })

  test('is never remembered for an unknown token: one that is stored later is known at once', async () => {
    const text = newToken('pat')
    const stranger = service.as(text)
    expect((await stranger.get('/v1/roles')).status).toBe(401)
    await ctx.db`
      insert into tokens (id, organisation_id, principal_id, name, hash, created_at)
      select gen_random_uuid(), organisation_id, id, 'late', sha256(${text}::bytea), now() from principals where id = ${ada.id}`
    expect((await stranger.get('/v1/roles')).status).toBe(200)
  })

  test('is not there where the memory is switched off', async () => {
    const off = await testContext({ CACHE_MEGABYTES: '0' })
    try {
      expect(off.memory).toBeNull()
      const client = api(off).as((await owner(off)).token)
      const { status, headers } = await client.get('/v1/roles')
      expect([status, headers.get('etag')]).toEqual([200, expect.stringMatching(/^"[0-9a-f]{32}"$/)])
      expect(off.metrics.text()).toContain('keyward_memory_reads_total{what="answer",result="miss"} 0')
    } finally {
      await off.close()
    }
  })
})

describe('If-None-Match', () => {
  test('is 304 without a body where nothing has changed, from memory and from the database', async () => {
    const { headers } = await admin.get('/v1/roles')
    const etag = headers.get('etag') ?? ''
    for (const path of ['/v1/roles', '/v1/roles/', '/service/public/v1/roles', '/v1/roles?x=1']) {
      for (const value of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const answer = await service.app.handle(
          new Request(`http://localhost${path}`, {
            headers: { authorization: `Bearer ${ada.token}`, 'if-none-match': value },
          }),
        )
        expect([answer.status, answer.headers.get('etag'), await answer.text()]).toEqual([304, etag, ''])
        expect(answer.headers.get('x-request-id')).not.toBeNull()
      }
    }
    const other = await admin.send('GET', '/v1/roles', { headers: { 'if-none-match': '"other"' } })
    expect(other.status).toBe(200)
  })

  test('is 401 for whoever is not known', async () => {
    const headers = { 'if-none-match': '*' }
    expect((await service.anonymous.send('GET', '/v1/roles', { headers })).status).toBe(401)
  })
})

describe('If-Match', () => {
  const body = JSON.stringify
  /** Each path with what changes it, twice. */
  async function changes() {
    const { id: appId, environments } = await app(ctx, undefined, ['Development', 'Staging'])
    const robot = await serviceAccount(ctx, 'service')
    const grace = await member(ctx, 'developer')
    const permissions = { permissions: {}, app_permissions: {} }
    const { body: role } = await admin.post('/v1/roles', { name: uniqueName('Role'), permissions })
    const { body: other } = await admin.post('/v1/roles', { name: uniqueName('Other'), permissions })
    const access = (n: number) => ({ apps: [{ id: appId, environments: [environments[n]?.id] }] })
    return {
      [`/v1/roles/${role.id}`]: [{ color: '#000000' }, { color: '#ffffff' }],
      [`/v1/members/${grace.id}/access`]: [access(0), access(1)],
      [`/v1/members/${grace.id}`]: [{ role_id: other.id }, { role_id: other.id }],
      [`/v1/service-accounts/${robot.id}/access`]: [access(0), access(1)],
      [`/v1/service-accounts/${robot.id}`]: [{ name: 'One' }, { name: 'Two' }],
      [`/v1/environments/${environments[1]?.id}`]: [{ name: 'One' }, { name: 'Two' }],
      [`/v1/apps/${appId}`]: [{ description: 'One' }, { description: 'Two' }],
      '/v1/organisation': [{ name: uniqueName('One') }, { name: uniqueName('Two') }],
    }
  }
  const send = (method: string, path: string, ifMatch: string, input?: object) =>
    admin.send(method, path, {
      headers: { 'if-match': ifMatch, 'content-type': 'application/json' },
      ...(input !== undefined && { body: body(input) }),
    })

  test('lets a change through that knows what there is, and refuses every other one with 412', async () => {
    for (const [path, [one, two]] of Object.entries(await changes())) {
      const etag = (await admin.get(path)).headers.get('etag') ?? ''
      for (const wrong of ['"other"', `W/${etag}`, '', etag.slice(1, -1)]) {
        const refused = await send('PUT', path, wrong, one)
        expect([refused.status, refused.body], `${path} ${wrong}`).toEqual([
          412,
          { error: 'It has changed since you read it. Read it again, and send the new ETag in If-Match.' },
        ])
      }
      expect((await admin.get(path)).headers.get('etag'), path).toBe(etag)
      ctx.clock.advance(1)
      expect((await send('PUT', path, `"other", ${etag}`, one)).status, path).toBe(200)
      expect((await send('PUT', path, etag, two)).status, path).toBe(412)
      ctx.clock.advance(1)
      const now = (await admin.get(path)).headers.get('etag') ?? ''
      expect(now, path).not.toBe(etag)
      if (path.endsWith('/access') || path.endsWith('/organisation')) continue
      expect((await send('DELETE', path, etag)).status, path).toBe(412)
      if (!path.includes('/roles/')) expect((await send('DELETE', path, now)).status, path).toBe(204)
      else expect((await send('DELETE', path, '*')).status, path).not.toBe(412)
    }
  })

  test('lets one of two changes through that know the same', async () => {
    for (const [path, [one, two]] of Object.entries(await changes())) {
      if (path.split('/').length === 4 && path.includes('/members/')) continue
      const etag = (await admin.get(path)).headers.get('etag') ?? ''
      ctx.clock.advance(1)
      const both = await Promise.all([send('PUT', path, etag, one), send('PUT', path, etag, two)])
      expect(both.map(({ status }) => status).sort(), path).toEqual([200, 412])
    }
  })

  test('is not looked at where the change would be refused anyway', async () => {
    const { id } = await member(ctx, 'owner').catch(() => ({ id: ada.id }))
    const removal = await send('DELETE', `/v1/members/${id}`, '"other"')
    expect(removal.status).toBe(403)
    const unknown = await send('DELETE', '/v1/roles/4f9d5a52-6f0b-4a9e-8a3c-0d6f3b1c2e7a', '*')
    expect(unknown.status).toBe(404)
  })
})
