import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { sealedLength } from '../../../src/core/secrets/sealed.ts'
import { api, type Client } from '../../support/api.ts'
import { app, appWith, grant } from '../../support/apps.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { member, owner, type Person } from '../../support/people.ts'
import { digestOf, seal, sealedSecret, secretsOf } from '../../support/secrets.ts'
import { countStatements } from '../../support/statements.ts'

let ctx: TestContext
let ada: Person
let service: ReturnType<typeof api>
let client: Client
let environmentId: string
let otherId: string
let secrets: ReturnType<typeof secretsOf>

beforeAll(async () => {
  ctx = await testContext()
  service = api(ctx)
  ada = await owner(ctx)
  client = service.as(ada.token)
})
beforeEach(async () => {
  const shop = await app(ctx)
  environmentId = shop.environments[0]?.id ?? ''
  otherId = shop.environments[1]?.id ?? ''
  secrets = secretsOf(client, environmentId)
})
afterAll(() => ctx.close())

const created = async (more: object = {}) => (await secrets('POST', [sealedSecret('ONE', 'v', more)])).body[0]
const quiet = () => secretsOf(client.unrecorded, environmentId)
const changedAt = async (): Promise<Date | null> =>
  (
    await ctx.db<{ secrets_changed_at: Date | null }[]>`
    select secrets_changed_at from environments where id = ${environmentId}`
  )[0]?.secrets_changed_at ?? null

/** Someone with a role that has these actions on secrets, and access to a new environment. */
async function personWith(...actions: string[]) {
  const permissions = { permissions: {}, app_permissions: { Secrets: actions } }
  const { body } = await client.post('/v1/roles', { name: `Role ${randomUUID()}`, permissions })
  const person = await member(ctx, { id: body.id })
  const { environments } = await appWith(ctx, `App ${randomUUID()}`, ['One'])
  await grant(ctx, person.id, environments)
  return { person, secrets: secretsOf(service.as(person.token), environments[0]?.id ?? '') }
}

describe('the order of checks', () => {
  const send = (headers: Record<string, string>, body = '{', token = ada.token) =>
    service.as(token).send('POST', '/service/secrets/', { headers, body })

  test('credentials, permission, headers, body, environment', async () => {
    const path = { environment: environmentId, path: 'a b' }
    const anonymous = await service.anonymous.send('POST', '/service/secrets/', { headers: path, body: '{' })
    expect(anonymous.status).toBe(401)
    const { person } = await personWith()
    expect((await send(path, '{', person.token)).status).toBe(403)
    expect((await send({}, '{')).body.error).toStartWith('The header Environment')
    expect((await send(path, '{')).body.error).toStartWith('The header Path must be a path')
    expect((await send({ environment: randomUUID() }, '{')).status).toBe(400)
    expect((await send({ environment: randomUUID() }, '{"secrets":[{}]}')).status).toBe(400)
    expect((await send({ environment: randomUUID() }, '{"secrets":[]}')).status).toBe(404)
    expect((await send({ environment: 'production' }, '{"secrets":[]}')).status).toBe(404)
    expect((await send({ environment: environmentId }, ' '.repeat(1024 * 1024 + 1))).status).toBe(413)
    const zipped = { environment: environmentId, 'content-encoding': 'gzip' }
    expect((await send(zipped, '{"secrets":[]}')).status).toBe(415)
  })

  test('rules before unknown ids, unknown ids before names that are taken', async () => {
    const one = await created({ type: 'sealed' })
    const [two] = (await secrets('POST', [sealedSecret('TWO')])).body
    const taken = { id: two.id, key: seal('ONE'), keyDigest: digestOf('ONE') }
    const unknown = { id: randomUUID(), value: seal('x') }
    const unsealed = { id: one.id, type: 'secret' }
    expect((await secrets('PUT', [taken, unknown, unsealed])).status).toBe(403)
    expect((await secrets('PUT', [taken, unknown])).status).toBe(404)
    expect((await secrets('PUT', [taken])).status).toBe(409)
  })

  test('a refusal is in the audit log, about the environment', async () => {
    const { person } = await personWith('read')
    await secretsOf(service.as(person.token), environmentId)('POST', [])
    const entries = await ctx.db`
      select event_type, resource_type, resource_id, environment_id from audit_entries where actor_id = ${person.id}`
    expect([...entries]).toEqual([
      {
        event_type: 'secret.create_refused',
        resource_type: 'environment',
        resource_id: environmentId,
        environment_id: environmentId,
      },
    ])
  })
})

describe('what a role allows', () => {
  test('each action is its own, and whoever may not read gets none of what is written', async () => {
    const { person, secrets: theirs } = await personWith('create', 'update', 'delete')
    expect(await theirs('POST', [sealedSecret('ONE')])).toMatchObject({ status: 200, body: [] })
    expect((await theirs('GET')).status).toBe(403)
    const [row] = await ctx.db<{ id: string; environment_id: string }[]>`
      select s.id, s.environment_id from secrets s
      join environment_keys k on k.environment_id = s.environment_id and k.principal_id = ${person.id}`
    const id = row?.id ?? ''
    const change = { id, value: seal('new') }
    expect(await theirs('PUT', [change])).toMatchObject({ status: 200, body: [] })
    const restored = await service.as(person.token).post(`/v1/secrets/${id}/restore`, { version: 1 })
    expect(restored.body).toEqual({ id, version: 3 })
    expect((await theirs('DELETE', [id])).status).toBe(200)
    const { secrets: reader } = await personWith('read')
    expect((await reader('GET')).body).toEqual([])
    for (const method of ['POST', 'PUT', 'DELETE'] as const)
      expect((await reader(method, [])).status).toBe(403)
  })
})

describe('a body', () => {
  test('without secrets, null or empty, changes nothing', async () => {
    for (const method of ['POST', 'PUT'] as const) {
      for (const none of [null, []]) {
        expect(await quiet()(method, none)).toMatchObject({ status: 200, body: [] })
      }
    }
    expect((await quiet()('DELETE', null)).status).toBe(200)
    expect((await quiet()('DELETE', [randomUUID(), 'x'])).status).toBe(200)
    expect(await changedAt()).toBeNull()
    expect((await quiet()('POST')).status).toBe(400)
  })

  test('may have null for what it leaves out, and for no tags', async () => {
    const nulls = { comment: null, path: null, type: null, tags: null, override: null, expiresAt: null }
    const one = await created(nulls)
    expect(one).toMatchObject({ comment: '', path: '/', type: 'secret', tags: [], override: null })
    const comment = seal('why')
    await secrets('PUT', [{ id: one.id, comment, path: '/a', tags: ['x'], type: 'config' }])
    const kept = { comment, path: '/a', type: 'config' }
    expect((await secrets('PUT', [{ id: one.id, ...nulls, tags: ['x'] }])).body[0]).toMatchObject(kept)
    const untagged = (await secrets('PUT', [{ id: one.id, ...nulls }])).body[0]
    expect(untagged).toMatchObject({ ...kept, tags: [] })
    expect((await secrets('PUT', [{ id: one.id, comment: '' }])).body[0].comment).toBe('')
  })

  test('may be what GET answered: that changes nothing', async () => {
    const one = await created({ tags: ['x'], override: { value: seal('mine'), isActive: false } })
    expect(one.override).toMatchObject({ is_active: false })
    const { key: _, ...others } = one
    expect((await secrets('PUT', [others])).body).toEqual([one])
    const [camel] = (await secrets('GET', undefined, { 'x-use-camel-case': 'true' })).body
    expect((await quiet()('PUT', [camel])).body).toEqual([one])
  })

  test('may say is_active of an override, as GET names it; isActive comes first', async () => {
    const one = await created({ override: { value: seal('mine'), is_active: false } })
    expect(one.override).toMatchObject({ is_active: false })
    const set = async (override: object) =>
      (await secrets('PUT', [{ id: one.id, override }])).body[0].override.is_active
    expect(await set({ is_active: true })).toBe(true)
    expect(await set({ is_active: true, isActive: false })).toBe(false)
    expect(await set({ value: seal('another') })).toBe(false)
    expect((await secrets('PUT', [{ id: one.id, override: { is_active: 'no' } }])).status).toBe(400)
  })

  test.each<[string, object, RegExp]>([
    ['a key without its digest', { keyDigest: undefined }, /keyDigest is required/],
    ['a digest without a key', { key: undefined }, /key is required/],
    ['no value', { value: undefined }, /value is required/],
    ['a key that is not sealed', { key: 'NAME' }, /secrets\[0\]\.key must be sealed/],
    ['a value that is not sealed', { value: '' }, /secrets\[0\]\.value must be sealed/],
    ['a comment that is not sealed', { comment: 'why' }, /secrets\[0\]\.comment must be sealed/],
    ['a digest of another form', { keyDigest: 'abc' }, /secrets\[0\]\.keyDigest must be 64 hex digits/],
    ['a path with a space', { path: 'a b' }, /secrets\[0\]\.path must be/],
    ['a type that there is not', { type: 'file' }, /type must be one of secret, sealed, config/],
    ['21 tags', { tags: Array.from({ length: 21 }, (_, n) => `${n}`) }, /at most 20 items/],
    ['a tag twice', { tags: ['a', 'a'] }, /must not list a tag twice/],
    ['a tag with a comma', { tags: ['a,b'] }, /must not contain a comma/],
    ['an unknown field', { valeu: 'x' }, /Unknown field "secrets\[0\]\.valeu"/],
    ['an id', { id: randomUUID() }, /Unknown field "secrets\[0\]\.id"/],
    ['an unknown field of the override', { override: { vlaue: 'x' } }, /override\.vlaue/],
    ['an override without a value', { override: {} }, /needs a value/],
    ['an override that is not sealed', { override: { value: 'x' } }, /override\.value must be sealed/],
    ['a date without a zone', { expiresAt: '2027-01-01' }, /expiresAt must be a date and time/],
  ])('of POST with %s is 400 and says so', async (_, more, sentence) => {
    const answer = await secrets('POST', [sealedSecret('ONE', 'v', more)])
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringMatching(sentence)])
    expect((await secrets('GET')).body).toEqual([])
  })

  test('of PUT has an id, the key with its digest or neither, and no id twice', async () => {
    const one = await created()
    const bodies = [
      [{ value: seal('x') }],
      [{ id: one.id, key: seal('TWO') }],
      [{ id: one.id, keyDigest: digestOf('TWO') }],
      [{ id: one.id }, { id: one.id.toUpperCase() }],
      [{ id: 7 }],
    ]
    for (const body of bodies) expect((await quiet()('PUT', body)).status).toBe(400)
    expect((await quiet()('DELETE', [one.id, one.id])).status).toBe(400)
    expect((await secrets('GET')).body).toEqual([one])
  })

  test('names secrets of another environment in vain: 404 on PUT, ignored on DELETE', async () => {
    const one = await created()
    const elsewhere = secretsOf(client.unrecorded, otherId)
    expect((await elsewhere('PUT', [{ id: one.id, value: seal('x') }])).status).toBe(404)
    expect((await elsewhere('DELETE', [one.id])).status).toBe(200)
    expect((await secrets('GET')).body).toEqual([one])
  })

  test('is stored whole or not at all', async () => {
    const one = await created()
    const two = sealedSecret('TWO')
    expect((await secrets('POST', [two, sealedSecret('ONE')])).status).toBe(409)
    const twice = await secrets('POST', [two, two])
    expect([twice.status, twice.body.error]).toEqual([
      409,
      'secrets[1] has the key and the path of secrets[0].',
    ])
    const change = { id: one.id, value: seal('new') }
    expect((await secrets('PUT', [change, { id: randomUUID() }])).status).toBe(404)
    expect((await secrets('GET')).body).toEqual([one])
    const [row] =
      await ctx.db`select count(*)::int as count from secret_versions where environment_id = ${environmentId}`
    expect(row?.count).toBe(1)
  })
})

describe('limits', () => {
  test('hold for sealed texts as for what they seal', async () => {
    const tooLong = (bytes: number) => seal('x'.repeat(bytes + 3))
    for (const [field, bytes] of Object.entries({ key: 256, comment: 4096, value: 65_536 })) {
      const answer = await secrets('POST', [sealedSecret('ONE', 'v', { [field]: tooLong(bytes) })])
      expect([answer.status, answer.body.error]).toEqual([
        400,
        `secrets[0].${field} must have at most ${sealedLength(bytes)} characters, sealed.`,
      ])
      const fits = await secrets('POST', [sealedSecret(field, 'v', { [field]: seal('x'.repeat(bytes)) })])
      expect(fits.status).toBe(200)
    }
  })

  test('hold for how many secrets a request and an environment can have', async () => {
    const small = (name: string) => ({ key: TINY, keyDigest: digestOf(name), value: TINY })
    const many = (count: number, prefix: string) =>
      Array.from({ length: count }, (_, index) => small(`${prefix}${index}`))
    expect((await secrets('POST', many(2001, 'a'))).body.error).toBe('secrets must have at most 2000 items.')
    await ctx.db`
      insert into secrets (id, organisation_id, app_id, environment_id, path, key, key_digest, value, comment, tags, type,
        version, created_at, updated_at)
      select gen_random_uuid(), e.organisation_id, e.app_id, e.id, '/', 'x', sha256(n::text::bytea), 'x', '', '{}',
        'secret', 1, now(), now()
      from environments e, generate_series(1, 4500) n where e.id = ${environmentId}`
    const beyond = await secrets('POST', many(501, 'b'))
    expect([beyond.status, beyond.body.error]).toEqual([
      403,
      'An environment can have at most 5,000 secrets.',
    ])
    expect((await secrets('POST', many(500, 'b'))).body).toHaveLength(500)
    expect((await secrets('POST', many(1, 'c'))).status).toBe(403)
    const all = (await secrets('GET')).body
    expect(all).toHaveLength(5000)
    const gone = all.find(({ key }: { key: string }) => key === TINY).id
    await secrets('DELETE', [gone])
    expect((await secrets('POST', many(1, 'c'))).status).toBe(200)
    expect((await client.post(`/v1/secrets/${gone}/restore`, { version: 1 })).status).toBe(403)
  }, 60_000)
})

const TINY = seal('')

describe('versions and times', () => {
  test('an override alone makes no version and moves no time; the same key sealed again neither', async () => {
    const one = await created()
    const before = await changedAt()
    expect(before).toEqual(ctx.clock.now())
    ctx.clock.advance(10)
    const again = { key: seal('ONE'), keyDigest: digestOf('ONE').toUpperCase() }
    const override = { value: seal('mine') }
    const [after] = (await secrets('PUT', [{ id: one.id, ...again, override }])).body
    expect(after).toEqual({ ...one, override: expect.objectContaining(override) })
    expect(await changedAt()).toEqual(before)
    ctx.clock.advance(10)
    const [changed] = (await secrets('PUT', [{ id: one.id, value: seal('new') }])).body
    expect(changed).toMatchObject({ version: 2, updated_at: ctx.clock.now().toISOString() })
    expect(changed.created_at).toBe(one.created_at)
    expect(await changedAt()).toEqual(ctx.clock.now())
  })

  test('the environment tells a later time with every change, also where the clock stands or goes back', async () => {
    const one = await created()
    const first = (await changedAt())?.getTime() ?? 0
    await secrets('PUT', [{ id: one.id, value: seal('a') }])
    await secrets('PUT', [{ id: one.id, value: seal('b') }])
    expect((await changedAt())?.getTime()).toBe(first + 2)
    ctx.clock.advance(-3600)
    await secrets('DELETE', [one.id])
    expect((await changedAt())?.getTime()).toBe(first + 3)
    await client.post(`/v1/secrets/${one.id}/restore`, { version: 1 })
    expect((await changedAt())?.getTime()).toBe(first + 4)
    ctx.clock.advance(3600)
  })

  test('an expiry is kept, shown where there is one, and cleared by null', async () => {
    const one = await created({ expiresAt: '2027-01-31T12:00:00+01:00' })
    expect(one.expires_at).toBe('2027-01-31T11:00:00.000Z')
    const { status, body } = await secrets('PUT', [{ ...one, keyDigest: one.key_digest }])
    expect([status, body[0].expires_at, body[0].version]).toEqual([200, one.expires_at, 1])
    const later = { expires_at: '2028-01-01T00:00:00Z', expiresAt: '2029-01-01T00:00:00Z' }
    expect((await secrets('PUT', [{ id: one.id, ...later }])).body[0].expires_at).toBe(
      '2029-01-01T00:00:00.000Z',
    )
    expect((await secrets('PUT', [{ id: one.id, expires_at: '2027-01-01' }])).status).toBe(400)
    expect((await secrets('PUT', [{ id: one.id, expiresAt: null }])).body[0]).not.toHaveProperty('expires_at')
  })

  test('a sealed secret can be replaced, and stays sealed', async () => {
    const one = await created({ type: 'sealed' })
    expect((await secrets('PUT', [{ id: one.id, value: seal('new') }])).body[0].type).toBe('sealed')
    const refused = await secrets('PUT', [{ id: one.id, type: 'config' }])
    expect([refused.status, refused.body.error]).toEqual([403, 'A sealed secret stays sealed.'])
  })
})

test('a change is one audit entry that names ids, paths, versions and types', async () => {
  const sent = [sealedSecret('ONE'), sealedSecret('TWO', 'v', { path: '/db', type: 'config' })]
  const [one, two] = (await secrets('POST', sent)).body
  await secrets('PUT', [{ id: one.id, value: seal('x'), override: { value: seal('mine') } }])
  await secrets('PUT', [{ id: two.id, override: { value: seal('mine') } }])
  await secrets('DELETE', [two.id])
  await client.post(`/v1/secrets/${one.id}/restore`, { version: 1 })
  const entries = await ctx.db<{ event_type: string; new_values: unknown }[]>`
    select event_type, new_values from audit_entries where environment_id = ${environmentId}`
  const ref = ({ id, path, type }: typeof one, version: number) => ({ id, path, version, type })
  expect(Object.fromEntries(entries.map(({ event_type, new_values }) => [event_type, new_values]))).toEqual({
    'secret.created': { secrets: [ref(one, 1), ref(two, 1)], total: 2 },
    'secret.updated': { secrets: [ref(one, 2)], total: 1 },
    'secret.override_changed': { secrets: [ref(two, 1)], total: 1 },
    'secret.deleted': { secrets: [ref(two, 2)], total: 1 },
    'secret.restored': { secrets: [ref(one, 3)], total: 1 },
    // What the change of the override alone answered with.
    'secret.read': { secrets: [ref(two, 1)], total: 1 },
  })
})

test('the entry of a change names the secrets of which only the override changed, too', async () => {
  const override = { value: seal('mine') }
  const [one, two] = (
    await secrets('POST', [sealedSecret('ONE'), sealedSecret('TWO'), sealedSecret('THREE')])
  ).body
  const change = [
    { id: one.id, value: seal('x') },
    { id: two.id, override },
  ]
  const named = async () => {
    const rows = await ctx.db<{ event_type: string; new_values: { secrets: (typeof one)[] } }[]>`
      delete from audit_entries where environment_id = ${environmentId} and event_type <> 'secret.read'
      returning event_type, new_values`
    return rows.map(({ event_type, new_values: { secrets } }) => [
      event_type,
      Object.fromEntries(secrets.map(({ id, version }) => [id, version])),
    ])
  }
  await named()
  expect((await secrets('PUT', change)).status).toBe(200)
  expect(await named()).toEqual([['secret.updated', { [one.id]: 2, [two.id]: 1 }]])
  // The same override again is no change.
  expect((await secrets('PUT', [{ id: one.id, value: seal('y') }, change[1]])).status).toBe(200)
  expect(await named()).toEqual([['secret.updated', { [one.id]: 3 }]])
})

test('500 secrets are written in as many statements as one', async () => {
  const count = (method: 'POST' | 'PUT', written: object[]) =>
    countStatements(ctx, async () => expect((await secrets(method, written)).status).toBe(200))
  const one = await count('POST', [sealedSecret('FIRST')])
  const many = Array.from({ length: 500 }, (_, index) => sealedSecret(`KEY${index}`))
  expect(await count('POST', many)).toBe(one)
  const ids: string[] = (await secrets('GET')).body.map(({ id }: { id: string }) => id)
  const single = await count('PUT', [{ id: ids[0], value: seal('x') }])
  expect(
    await count(
      'PUT',
      ids.map((id) => ({ id, value: seal('y') })),
    ),
  ).toBe(single)
  // The key before the lock, the app, locks, access and the size, what is there, the secrets, the time, the audit entry, the
  // answer, the size again; and the transaction.
  expect([one, single]).toEqual([15, 14])
})
