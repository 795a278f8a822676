// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references are written like that.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { api, type Client } from '../../support/api.ts'
import { app, type TestApp } from '../../support/apps.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { member, owner, type Person, serviceAccount } from '../../support/people.ts'

let ctx: TestContext
let service: ReturnType<typeof api>
let ada: Person
let bob: Person
let client: Client
let shop: TestApp
let place: string

beforeAll(async () => {
  ctx = await testContext()
  service = api(ctx)
  ada = await owner(ctx)
  bob = await member(ctx, 'admin')
  client = service.as(ada.token)
})
beforeEach(async () => {
  shop = await app(ctx)
  place = `/v1/secrets/?app_id=${shop.id}&env=production`
})
afterAll(() => ctx.close())

const add = async (secrets: object[], at = place) => {
  const { status, body } = await client.post(at, { secrets })
  expect(body.error).toBeUndefined()
  expect(status).toBe(200)
  return body
}
const remove = (ids: string[], at = place) =>
  client.send('DELETE', at, { body: JSON.stringify({ secrets: ids }) })

describe('POST /v1/secrets', () => {
  test('stores secrets that GET gives back in clear', async () => {
    const sent = [
      { key: 'DB_URL', value: 'postgres://é🔐', comment: 'the shop', path: 'db//main/', tags: ['db'] },
      { key: 'lowerCase', value: '', type: 'config', expires_at: '2027-01-31T12:00:00Z' },
    ]
    const body = await add(sent)
    const at = ctx.clock.now().toISOString()
    expect(body[0]).toEqual({
      id: expect.any(String),
      key: 'DB_URL',
      value: 'postgres://é🔐',
      comment: 'the shop',
      keyDigest: expect.stringMatching(/^[0-9a-f]{64}$/),
      path: '/db/main',
      tags: ['db'],
      type: 'secret',
      lifecycle: 'static',
      version: 1,
      environment: shop.environments[1]?.id,
      folder: null,
      createdAt: at,
      updatedAt: at,
      override: null,
    })
    expect(body[1]).toMatchObject({
      key: 'lowerCase',
      value: '',
      comment: '',
      expiresAt: '2027-01-31T12:00:00.000Z',
    })
    const read = await client.get(place)
    expect(read.body).toEqual([body[1], body[0]])
    expect(read.headers.get('cache-control')).toBe('no-store')
    expect(read.headers.get('etag')).toBeNull()
    expect((await client.get(`/v1/secrets?app_id=${shop.id}&env=PRODuction`)).body).toEqual(read.body)
    expect((await client.get(`/service/public/v1/secrets/?app_id=${shop.id}&env=production`)).body).toEqual(
      read.body,
    )
    expect((await client.get(`/v1/secrets/?app_id=${shop.id}&env=development`)).body).toEqual([])
  })
})

describe('PUT /v1/secrets', () => {
  test('changes what is sent, with a new version; what is the same in clear makes none', async () => {
    const [one, two] = await add([
      { key: 'ONE', value: '1', comment: 'c', path: '/a', tags: ['t'] },
      { key: 'TWO', value: '2' },
    ])
    ctx.clock.advance(1000)
    const changed = await client.put(place, {
      secrets: [
        { id: one.id, value: 'one', key: 'EINS', keyDigest: 'ignored', version: 9 },
        { id: two.id, value: '2', comment: null },
      ],
    })
    expect(changed.body[0]).toEqual({
      ...one,
      key: 'EINS',
      keyDigest: expect.not.stringMatching(one.keyDigest),
      value: 'one',
      version: 2,
      updatedAt: ctx.clock.now().toISOString(),
    })
    expect(changed.body[1]).toEqual(two)
    const same = {
      id: one.id,
      key: 'EINS',
      value: 'one',
      comment: 'c',
      path: 'a/',
      tags: ['t'],
      type: 'secret',
    }
    const again = await client.put(place, { secrets: [same] })
    expect(again.body).toEqual([changed.body[0]])
    const cleared = await client.put(place, { secrets: [{ id: one.id, comment: '', tags: null }] })
    expect(cleared.body[0]).toMatchObject({ comment: '', tags: [], version: 3 })
    const raised = await client.put(place, {
      secrets: [{ id: one.id, comment: 'back', expiresAt: '2027-01-01T00:00:00Z' }],
    })
    expect(raised.body[0]).toMatchObject({
      comment: 'back',
      expiresAt: '2027-01-01T00:00:00.000Z',
      version: 4,
    })
    for (const expiresAt of ['0001-01-01T00:00:00.000Z', '0099-12-31T23:59:59.999Z']) {
      const { body } = await client.put(place, { secrets: [{ id: one.id, expiresAt }] })
      expect(body[0].expiresAt).toBe(expiresAt)
    }
    const never = await client.put(place, { secrets: [{ id: one.id, expires_at: null }] })
    expect(never.body[0].expiresAt).toBeUndefined()
  })

  test('sets an override that only its owner sees', async () => {
    const [one] = await add([{ key: 'ONE', value: 'shared', override: { value: 'mine', isActive: true } }])
    expect(one.override).toMatchObject({ value: 'mine', isActive: true, secret: one.id })
    const off = await client.put(place, { secrets: [{ id: one.id, override: { isActive: false } }] })
    expect(off.body[0]).toMatchObject({
      version: 1,
      value: 'shared',
      override: { value: 'mine', isActive: false },
    })
    const theirs = service.as(bob.token)
    expect((await theirs.get(place)).body[0].override).toBeNull()
    const robot = await serviceAccount(ctx, 'manager')
    expect((await service.as(robot.token).get(place)).status).toBe(404)
  })

  test('is all or nothing: an unknown id is 404, a taken name 409, a sealed secret stays sealed', async () => {
    const [one, two, sealed] = await add([
      { key: 'ONE', value: '1' },
      { key: 'TWO', value: '2' },
      { key: 'SEALED', value: '3', type: 'sealed' },
    ])
    const attempts: [number, object[]][] = [
      [
        404,
        [
          { id: one.id, value: 'x' },
          { id: randomUUID(), value: 'x' },
        ],
      ],
      [
        404,
        [
          { id: one.id, value: 'x' },
          { id: 'x', value: 'x' },
        ],
      ],
      [
        409,
        [
          { id: one.id, value: 'x' },
          { id: two.id, key: 'ONE' },
        ],
      ],
      [
        403,
        [
          { id: one.id, value: 'x' },
          { id: sealed.id, type: 'secret' },
        ],
      ],
      [
        400,
        [
          { id: one.id, value: 'x' },
          { id: one.id.toUpperCase(), value: 'y' },
        ],
      ],
    ]
    for (const [status, secrets] of attempts)
      expect((await client.put(place, { secrets })).status).toBe(status)
    expect((await client.get(place)).body).toEqual([one, two, sealed])
    const other = `/v1/secrets/?app_id=${shop.id}&env=development`
    expect((await client.put(other, { secrets: [{ id: one.id, value: 'x' }] })).status).toBe(404)
    const swapped = await client.put(place, {
      secrets: [
        { id: one.id, key: 'TWO' },
        { id: two.id, key: 'ONE' },
      ],
    })
    expect(swapped.body).toMatchObject([{ key: 'TWO' }, { key: 'ONE' }])
  })
})

describe('DELETE /v1/secrets', () => {
  test('deletes all or none, whatever the content type', async () => {
    const [one, two] = await add([
      { key: 'ONE', value: '1' },
      { key: 'TWO', value: '2' },
    ])
    expect((await remove([one.id, randomUUID()])).status).toBe(404)
    expect((await remove([one.id, 'x'])).status).toBe(404)
    expect((await remove([one.id, one.id])).status).toBe(400)
    expect((await remove([])).status).toBe(400)
    expect((await client.get(place)).body).toHaveLength(2)
    expect(await remove([one.id])).toMatchObject({ status: 200, body: { message: expect.any(String) } })
    expect((await client.get(place)).body).toEqual([two])
  })
})

describe('GET /v1/secrets', () => {
  test('restricts by key, path and tags', async () => {
    const [upper, lower, deep] = await add([
      { key: 'NAME', value: '1' },
      { key: 'other', value: '2', tags: ['a', 'b c'] },
      { key: 'NAME', value: '3', path: '/x/y', tags: ['a'] },
    ])
    const got = async (query: string) => (await client.get(`${place}&${query}`)).body
    expect(await got('key=NAME')).toEqual([upper, deep])
    expect(await got('key=name')).toEqual([upper, deep])
    expect(await got('key=other')).toEqual([lower])
    expect(await got('key=OTHER')).toEqual([])
    expect(await got('key=')).toHaveLength(3)
    expect(await got('path=x//y/')).toEqual([deep])
    expect(await got('path=/')).toEqual([upper, lower])
    expect(await got('tags=b%20c,zz')).toEqual([lower])
    expect(await got('key=name&path=/x/y&tags=a&raw=false')).toEqual([deep])
    expect(await got('path=&tags=&raw=')).toHaveLength(3)
  })

  test('resolves references: here, at a path, in another environment and in another app, with overrides', async () => {
    const billing = await app(ctx, `My app ${randomUUID()}`)
    const away = `/v1/secrets/?app_id=${billing.id}&env=development`
    await add(
      [
        { key: 'HOST', value: 'h-${PORT}', path: '/db' },
        { key: 'PORT', value: '5432' },
      ],
      away,
    )
    await add([{ key: 'USER', value: 'dev' }], `/v1/secrets/?app_id=${shop.id}&env=development`)
    await add([
      { key: 'PASS', value: 'p', override: { value: 'own-${USER}' } },
      { key: 'USER', value: 'u' },
      {
        key: 'URL',
        value:
          '${USER}:${PASS}:${DEVELOPMENT.USER}@${' +
          billing.name.toUpperCase() +
          '::development./db/HOST}/${none} ${{ a }}',
      },
    ])
    const value = async (query = '') => (await client.get(`${place}&key=URL${query}`)).body[0].value
    expect(await value()).toBe('u:own-u:dev@h-5432/${none} ${{ a }}')
    expect(await value('&raw=true')).toMatch(/^\$\{USER\}:\$\{PASS\}/)
    // What was read on the way is in the audit log of those environments, too.
    await ctx.repeats.flush()
    const entries = await ctx.db`
      select environment_id, new_values from audit_entries where event_type = 'secret.read'
      and environment_id in ${ctx.db([shop.environments[0]?.id ?? '', billing.environments[0]?.id ?? ''])}`
    expect(new Set(entries.map(({ environment_id }) => environment_id)).size).toBe(2)
  })

  test('names each secret that references read once in the audit log, however they are spelled', async () => {
    const environmentId = shop.environments[0]?.id ?? ''
    const [dull, root] = await add(
      [
        { key: 'DULL', value: 'd' },
        { key: 'ROOT', value: 'r' },
      ],
      `/v1/secrets/?app_id=${shop.id}&env=development`,
    )
    const value = '${development.DULL}${DEVELOPMENT.DULL}${Development./DULL}${development.ROOT}'
    await add([{ key: 'MANY', value }])
    ctx.clock.advance(60)
    expect((await client.get(`${place}&key=MANY`)).body[0].value).toBe('dddr')
    const [entry] = await ctx.db`
      select new_values from audit_entries where event_type = 'secret.read' and environment_id = ${environmentId}
      order by timestamp desc limit 1`
    expect(entry?.new_values.total).toBe(2)
    const named = entry?.new_values.secrets.map(({ id }: { id: string }) => id)
    expect(named.sort()).toEqual([dull.id, root.id].sort())
  })

  test('leaves references alone that lead where the caller has no access, or to an app without server-side encryption', async () => {
    const closed = await app(ctx, `Closed ${randomUUID()}`)
    const dark = await app(ctx, `Dark ${randomUUID()}`)
    for (const one of [closed, dark])
      await add([{ key: 'KEY', value: 'x' }], `/v1/secrets/?app_id=${one.id}&env=production`)
    await client.put(`/v1/apps/${dark.id}`, { sse_enabled: false })
    const written = `\${${closed.name}::production.KEY} \${${dark.name}::production.KEY}`
    await add([{ key: 'BOTH', value: written }])
    expect((await client.get(place)).body[0].value).toBe(`x \${${dark.name}::production.KEY}`)
    const developer = await member(ctx, 'developer')
    await client.put(`/v1/members/${developer.id}/access`, {
      apps: [{ id: shop.id, environments: [shop.environments[1]?.id] }],
    })
    expect((await service.as(developer.token).get(place)).body[0].value).toBe(written)
  })
})

describe('/v1/secrets checks in order', () => {
  test('401, permission 403, query 400, body 400, environment 404, server-side encryption 400', async () => {
    const dark = await app(ctx)
    await client.put(`/v1/apps/${dark.id}`, { sse_enabled: false })
    const nobody = service.as((await member(ctx, { id: await role({ Secrets: [] }) })).token)
    const developer = service.as((await member(ctx, 'developer')).token)
    const bad = { secrets: [] }
    const good = { secrets: [{ key: 'A', value: '1' }] }
    const off = `/v1/secrets?app_id=${dark.id}&env=production`
    const attempts: [number, Pick<Client, 'post'>, string, unknown][] = [
      [401, service.anonymous, '/v1/secrets', bad],
      [403, nobody, '/v1/secrets', bad],
      [400, developer, '/v1/secrets', bad],
      [400, developer, `/v1/secrets?app_id=${shop.id}`, good],
      [400, developer, place, bad],
      [404, developer, place, good],
      [404, client, `/v1/secrets?app_id=${shop.id}&env=none`, good],
      [404, client, `/v1/secrets?app_id=x&env=production`, good],
      [400, client, off, good],
      [404, developer, off, good],
      [200, client, place, good],
      [409, client, place, good],
    ]
    for (const [status, caller, path, body] of attempts) {
      expect((await caller.post(path, body)).status, `${path} ${JSON.stringify(body)}`).toBe(status)
    }
    for (const query of ['raw=x', 'path=/a%20b', `key=${'k'.repeat(301)}`, 'key=A&key=B']) {
      expect((await client.get(`${place}&${query}`)).status, query).toBe(400)
    }
    expect((await developer.get(place)).status).toBe(404)
    expect((await nobody.get(place)).status).toBe(403)
    expect((await nobody.get('/v1/secrets/export')).status).toBe(403)
    expect((await client.get('/v1/secrets/export')).status).toBe(400)
  })

  test('refuses bodies with a sentence that names the field, and none of the text', async () => {
    const long = 'n'.repeat(64 * 1024 + 1)
    const refused: [object | string, string][] = [
      [{ value: 'v' }, 'secrets[0].key is required.'],
      [{ key: 'K' }, 'secrets[0].value is required.'],
      [{ key: '', value: 'v' }, 'secrets[0].key must not be empty.'],
      [
        { key: 'a b', value: 'v' },
        'secrets[0].key must not contain white space, control characters, "=", "{" or "}".',
      ],
      [{ key: 'é'.repeat(129), value: 'v' }, 'secrets[0].key must have at most 256 bytes.'],
      [{ key: 'K', value: long }, 'secrets[0].value must have at most 65536 bytes.'],
      [{ key: 'K', value: 1 }, 'secrets[0].value must be a string.'],
      [
        { key: 'K', value: 'v', comment: 'c'.repeat(4097) },
        'secrets[0].comment must have at most 4096 bytes.',
      ],
      [{ key: 'K', value: 'v', extra: 'v' }, 'Unknown field "secrets[0].extra".'],
      [
        { key: 'K', value: 'v', override: { value: 'v', is_active: true } },
        'Unknown field "secrets[0].override.is_active".',
      ],
      [
        { key: 'K', value: 'v', override: { value: long } },
        'secrets[0].override.value must have at most 65536 bytes.',
      ],
      [{ key: 'K', value: 'v', type: 'text' }, 'secrets[0].type must be one of secret, sealed, config.'],
      [
        { key: 'K', value: 'v', expiresAt: null, expires_at: null },
        'secrets[0] must have only one of expiresAt and expires_at.',
      ],
      [{ key: 'K', value: 'v', tags: ['a', 'a'] }, 'secrets[0].tags must not list a tag twice.'],
    ]
    for (const [secret, error] of refused) {
      expect(await client.post(place, { secrets: [secret] })).toMatchObject({ status: 400, body: { error } })
    }
    for (const key of ['a=b', 'a{', '}', 'a\tb', 'a\u00a0b', 'a\nb', '\u0085']) {
      expect((await client.post(place, { secrets: [{ key, value: '' }] })).status, JSON.stringify(key)).toBe(
        400,
      )
    }
    const exact = { key: 'k'.repeat(256), value: 'v'.repeat(64 * 1024), comment: 'c'.repeat(4096) }
    expect((await client.post(place, { secrets: [exact] })).body[0]).toMatchObject(exact)
  })
})

test('whoever may update but not read secrets does not learn whether a value was guessed', async () => {
  const writer = await member(ctx, { id: await role({ Secrets: ['update'] }) })
  const [pin] = (await client.post(place, { secrets: [{ key: 'PIN', value: '0042' }] })).body
  const environment = shop.environments.find(({ name }) => name === 'Production')
  const apps = [{ id: shop.id, environments: [environment?.id] }]
  expect((await client.put(`/v1/members/${writer.id}/access`, { apps })).status).toBe(200)
  const versions = []
  for (const value of ['0041', '0042', '0042']) {
    const put = await service.as(writer.token).put(place, { secrets: [{ id: pin.id, value }] })
    expect(put).toMatchObject({ status: 200, body: [] })
    versions.push((await client.get(`${place}&key=PIN`)).body[0].version)
  }
  expect(versions).toEqual([2, 3, 4])
})

const role = async (appPermissions: object): Promise<string> => {
  const permissions = { permissions: {}, app_permissions: appPermissions }
  return (await client.post('/v1/roles', { name: `Role ${randomUUID()}`, permissions })).body.id
}
