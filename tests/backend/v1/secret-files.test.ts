// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references are written like that.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { YAML } from 'bun'
import { api, type Client } from '../../support/api.ts'
import { app, type TestApp } from '../../support/apps.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { member, owner, type Person } from '../../support/people.ts'

let ctx: TestContext
let service: ReturnType<typeof api>
let ada: Person
let client: Client
let shop: TestApp
let query: string

beforeAll(async () => {
  ctx = await testContext()
  service = api(ctx)
  ada = await owner(ctx)
  client = service.as(ada.token)
})
beforeEach(async () => {
  shop = await app(ctx)
  query = `?app_id=${shop.id}&env=production`
})
afterAll(() => ctx.close())

const add = async (secrets: object[], env = 'production') => {
  const { status, body } = await client.post(`/v1/secrets/?app_id=${shop.id}&env=${env}`, { secrets })
  expect([status, body.error]).toEqual([200, undefined])
  return body
}
const list = async () => (await client.get(`/v1/secrets/${query}&raw=true`)).body
const exported = (more: string) => client.get(`/v1/secrets/export${query}${more}`)
const imported = (body: object, to: Pick<Client, 'post'> = client) =>
  to.post(`/v1/secrets/import${query}`, body)
const hard = [
  'it\'s "x" $(id) `id` \\',
  'two\nlines\n',
  '${NONE}',
  ' blank ',
  '',
  '#',
  'a\r\nb',
  '日本🔐',
  '\\n',
  '{"a": 1}',
  'yes',
  '0x1',
]

describe('GET /v1/secrets/export', () => {
  test('gives a file of each format, which import takes back as it was', async () => {
    const secrets = hard.map((value, index) => ({ key: `K${index}`, value }))
    await add(secrets)
    const values = Object.fromEntries(secrets.map(({ key, value }) => [key, value]))
    const json = await exported('&format=json&raw=true')
    expect(json.headers.get('content-type')).toBe('application/json')
    expect(json.body).toEqual(values)
    const yaml = await exported('&format=yaml')
    expect([yaml.headers.get('content-type'), yaml.headers.get('cache-control')]).toEqual([
      'application/yaml',
      'no-store',
    ])
    expect(YAML.parse(yaml.body)).toEqual(values)
    const manifest = YAML.parse((await exported('&format=kubernetes')).body) as {
      metadata: object
      data: Record<string, string>
    }
    expect(manifest.metadata).toEqual({ name: `${shop.name.toLowerCase().replace(' ', '-')}-production` })
    expect(
      Object.entries(manifest.data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]),
    ).toEqual(Object.entries(values))
    const dotenv = await exported('')
    expect(dotenv.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(await imported({ content: dotenv.body }, client.unrecorded)).toMatchObject({
      status: 200,
      body: { created: [], changed: [] },
    })
    expect(
      (await imported({ content: JSON.stringify(json.body), format: 'json' }, client.unrecorded)).body
        .unchanged,
    ).toHaveLength(hard.length)
    const away = await client.post(`/v1/secrets/import?app_id=${shop.id}&env=development`, {
      content: dotenv.body,
    })
    expect(away.body.created).toHaveLength(hard.length)
    expect(
      (await client.get(`/v1/secrets/export?app_id=${shop.id}&env=development&format=json`)).body,
    ).toEqual(values)
  })

  test('resolves references, and takes the caller’s own values where they count', async () => {
    await add([
      { key: 'A', value: 'a', override: { value: 'mine' } },
      { key: 'B', value: '${A}', override: { value: 'not this', isActive: false } },
    ])
    expect((await exported('')).body).toBe('A=mine\nB=mine\n')
    expect((await exported('&raw=true')).body).toBe("A=mine\nB='${A}'\n")
  })

  test('restricts by path and tags, and refuses what would lose something', async () => {
    await add([
      { key: 'A', value: '1' },
      { key: 'A', value: '2', path: '/x', tags: ['t'] },
      { key: 'a.b', value: '3', path: '/y' },
    ])
    expect((await exported('&path=x')).body).toBe('A=2\n')
    expect((await exported('&tags=t')).body).toBe('A=2\n')
    expect((await exported('&path=/none')).body).toBe('')
    expect((await exported('')).body).toEqual({
      error: 'Several paths have the same key. Choose one of them with path.',
    })
    expect(await exported('&path=/y')).toMatchObject({ status: 400 })
    expect((await exported('&path=/y&format=json')).body).toEqual({ 'a.b': '3' })
    expect(await exported('&format=xml')).toMatchObject({
      status: 400,
      body: { error: 'format must be one of dotenv, json, yaml, kubernetes.' },
    })
  })
})

describe('POST /v1/secrets/import', () => {
  test('tells beforehand that there would be too many secrets', async () => {
    await ctx.db`
      insert into secrets (id, organisation_id, app_id, environment_id, path, key, key_digest, value, comment, tags, type,
        version, created_at, updated_at)
      select gen_random_uuid(), e.organisation_id, e.app_id, e.id, '/many', 'x', sha256(n::text::bytea), 'x', '', '{}',
        'secret', 1, now(), now()
      from environments e, generate_series(1, 4999) n where e.id = ${shop.environments[1]?.id ?? ''}`
    expect((await imported({ content: 'ONE=1', dry_run: true })).status).toBe(200)
    const content = 'ONE=1\nTWO=2'
    for (const answer of [await imported({ content, dry_run: true }), await imported({ content })]) {
      expect([answer.status, answer.body.error]).toEqual([
        403,
        'An environment can have at most 5,000 secrets.',
      ])
    }
  })

  test('tells beforehand that they would take too much room', async () => {
    await ctx.db`
      insert into secrets (id, organisation_id, app_id, environment_id, path, key, key_digest, value, comment, tags, type,
        version, created_at, updated_at)
      select gen_random_uuid(), e.organisation_id, e.app_id, e.id, '/large', 'x', sha256(n::text::bytea),
        repeat('x', 80000), '', '{}', 'secret', 1, now(), now()
      from environments e, generate_series(1, 104) n where e.id = ${shop.environments[1]?.id ?? ''}`
    const content = `ONE=${'v'.repeat(60_000)}`
    const told = await imported({ content, dry_run: true })
    expect(told).toMatchObject({ status: 403, body: { error: expect.stringContaining('8 MiB') } })
    expect(await imported({ content })).toMatchObject({ status: 403, body: told.body })
  })

  test('of the same new keys many times at once succeeds each time', async () => {
    const content = Array.from({ length: 50 }, (_, n) => `KEY_${n}=value`).join('\n')
    const headers = { authorization: `Bearer ${ada.token}`, 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: JSON.stringify({ content }) }
    const backends = [service, api(ctx)].map(({ app }) => app)
    const statuses = await Promise.all(
      Array.from({ length: 12 }, async (_, n) => {
        const request = new Request(`http://localhost/v1/secrets/import${query}`, init)
        return (await (backends[n % 2] as (typeof backends)[0]).handle(request)).status
      }),
    )
    expect(statuses).toEqual(Array(12).fill(200))
    expect(await list()).toHaveLength(50)
  })

  test('answers what is created, changed and left alone; a dry run only tells', async () => {
    const [same, other] = await add([
      { key: 'SAME', value: '1' },
      { key: 'OTHER', value: '2', comment: 'stays', tags: ['stays'] },
      { key: 'REST', value: '3' },
    ])
    const content = 'SAME=1\nOTHER="new\nvalue"\nexport NEW=x # comment\n'
    const answer = {
      dryRun: true,
      created: [{ key: 'NEW', path: '/' }],
      changed: [{ key: 'OTHER', path: '/' }],
      unchanged: [{ key: 'SAME', path: '/' }],
    }
    const before = await list()
    expect(
      await client.unrecorded.post(`/v1/secrets/import${query}`, { content, dry_run: true }),
    ).toMatchObject({ status: 200, body: answer })
    expect(await list()).toEqual(before)
    ctx.clock.advance(1000)
    expect((await imported({ content })).body).toEqual({ ...answer, dryRun: false })
    const after = await list()
    expect(after).toHaveLength(4)
    expect(after[0]).toEqual(same)
    expect(after[1]).toMatchObject({
      id: other.id,
      value: 'new\nvalue',
      comment: 'stays',
      tags: ['stays'],
      version: 2,
    })
    expect(after[3]).toMatchObject({ key: 'NEW', value: 'x', path: '/' })
    const at = await imported({ content: '{"SAME": "1"}', format: 'json', path: 'deep//er/' })
    expect(at.body.created).toEqual([{ key: 'SAME', path: '/deep/er' }])
  })

  test('is all or nothing: a file that can’t be used is refused with its line, and none of its text', async () => {
    const long = 'x'.repeat(64 * 1024 + 1)
    const refused: [string, string, string?][] = [
      ['GOOD=1\nneedle', 'Line 2 is not KEY=value.'],
      [
        'GOOD=1\nneedle needle=1',
        'The key in line 2 must not contain white space, control characters, "=", "{" or "}".',
      ],
      ['GOOD=1\n\nGOOD=2', 'The key in line 3 is that of line 1.'],
      [`GOOD=1\nB=${long}`, 'The value in line 2 must have at most 65536 bytes.'],
      [`GOOD=1\n${'k'.repeat(257)}=1`, 'The key in line 2 must have at most 256 bytes.'],
      ['{"GOOD": "1", "": "needle"}', 'The key in entry 2 must not be empty.', 'json'],
      ['{"GOOD": "1", "B": "\\u0000"}', 'The value in entry 2 must not contain NUL characters.', 'json'],
      ['{"GOOD": "1", "B": "x\\ud800"}', 'The value in entry 2 must be well-formed Unicode.', 'json'],
      ['{"GOOD": "1", "x\\ud800": "1"}', 'The key in entry 2 must be well-formed Unicode.', 'json'],
      ['{"GOOD": "1", "needle": 2}', 'Entry 2 of the JSON object must have a text as its value.', 'json'],
    ]
    for (const [content, error, format = 'dotenv'] of refused) {
      expect(await imported({ content, format })).toMatchObject({ status: 400, body: { error } })
    }
    for (const body of [
      {},
      { content: 1 },
      { content: '', format: 'yaml' },
      { content: '', path: '/a b' },
      { content: '', extra: 1 },
    ]) {
      expect((await imported(body)).status).toBe(400)
    }
    expect(await list()).toEqual([])
  })

  test('takes the permissions to create, to read, and to update where something changes', async () => {
    await add([{ key: 'A', value: '1' }])
    const as = async (actions: string[]) => {
      const permissions = { permissions: {}, app_permissions: { Secrets: actions } }
      const role = await client.post('/v1/roles', { name: `Role ${actions.join(' ')}`, permissions })
      const person = await member(ctx, { id: role.body.id })
      await client.put(`/v1/members/${person.id}/access`, {
        apps: [{ id: shop.id, environments: [shop.environments[1]?.id] }],
      })
      return service.as(person.token)
    }
    const reader = await as(['create', 'read'])
    expect((await imported({ content: 'A=2' }, reader)).status).toBe(403)
    expect((await imported({ content: 'A=1\nB=1' }, reader)).body.created).toEqual([{ key: 'B', path: '/' }])
    expect((await imported({ content: 'A=1' }, await as(['create', 'update']))).status).toBe(403)
    expect((await imported({ content: 'A=1' }, await as(['read', 'update']))).status).toBe(403)
    expect((await imported({ content: 'A=2' }, await as(['create', 'read', 'update']))).status).toBe(200)
  })

  test('writes 500 lines at once', async () => {
    const content = Array.from({ length: 500 }, (_, index) => `KEY_${index}=value ${index}\n`).join('')
    expect((await imported({ content })).body.created).toHaveLength(500)
    expect((await imported({ content: content.replaceAll('value', 'other') })).body.changed).toHaveLength(500)
  })
})

describe('GET /v1/secrets/diff', () => {
  test('tells which names are in one environment only, and which values differ, never the values', async () => {
    await add([
      { key: 'SAME', value: 'needle' },
      { key: 'DIFFERENT', value: 'needle 1', override: { value: 'needle 3' } },
      { key: 'HERE', value: 'needle', path: '/x' },
    ])
    await add(
      [
        { key: 'SAME', value: 'needle', comment: 'another' },
        { key: 'DIFFERENT', value: 'needle 3' },
        { key: 'HERE', value: 'needle' },
      ],
      'development',
    )
    const { status, body } = await client.get(
      `/v1/secrets/diff?app_id=${shop.id}&from=Production&to=DEVELOPMENT`,
    )
    expect(status).toBe(200)
    expect(body).toEqual({
      onlyInFrom: [{ key: 'HERE', path: '/x' }],
      onlyInTo: [{ key: 'HERE', path: '/' }],
      different: [{ key: 'DIFFERENT', path: '/' }],
      same: [{ key: 'SAME', path: '/' }],
    })
  })

  test('needs both environments, by names that are there', async () => {
    const diff = (more: string) => client.get(`/v1/secrets/diff?app_id=${shop.id}${more}`)
    expect((await diff('&from=production')).status).toBe(400)
    expect((await diff('&to=production')).status).toBe(400)
    expect((await diff('&from=production&to=none')).status).toBe(404)
    expect((await diff('&from=production&to=production')).status).toBe(200)
    const developer = await member(ctx, 'developer')
    await client.put(`/v1/members/${developer.id}/access`, {
      apps: [{ id: shop.id, environments: [shop.environments[1]?.id] }],
    })
    const theirs = await service
      .as(developer.token)
      .get(`/v1/secrets/diff?app_id=${shop.id}&from=production&to=development`)
    expect(theirs.status).toBe(404)
  })
})
