// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references are written like that.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { wrapForPublicKey } from '../../../src/core/keys/wrapping.ts'
import { api } from '../../support/api.ts'
import { app, type TestApp } from '../../support/apps.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { owner, type Person } from '../../support/people.ts'
import { digestOf } from '../../support/secrets.ts'

let ctx: TestContext
let service: ReturnType<typeof api>
let ada: Person
let shop: TestApp
let place: string
let secretId: string

beforeAll(async () => {
  ctx = await testContext()
  service = api(ctx)
  ada = await owner(ctx)
  shop = await app(ctx)
  place = `?app_id=${shop.id}&env=production`
  const { body } = await service
    .as(ada.token)
    .post(`/v1/secrets${place}`, { secrets: [{ key: 'KEY', value: 'v' }] })
  secretId = body[0].id
})
afterAll(() => ctx.close())

/** Past the checks of every answer: whether a body changes anything, and so leaves an entry, is chance here. */
async function send(method: string, path: string, body?: string, type = 'application/json') {
  const start = performance.now()
  const response = await service.app.handle(
    new Request(`http://localhost${path}`, {
      method,
      ...(body !== undefined && { body }),
      headers: { authorization: `Bearer ${ada.token}`, 'content-type': type },
    }),
  )
  const text = await response.text()
  expect(response.status, `${method} ${path} ${body?.slice(0, 300)}: ${text}`).toBeLessThan(500)
  expect(performance.now() - start).toBeLessThan(5000)
  return { status: response.status, text }
}

const wild = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1,
    1e308,
    '',
    '\0',
    '\ud800',
    [],
    {},
    '/',
    '../..',
    '/a b',
    'ph:v1:',
    '__proto__',
  ),
  fc.constantFrom<unknown>(
    '2027-01-01T00:00:00Z',
    'secret',
    'sealed',
    ['a', 'a'],
    ['a,b'],
    { value: 'x' },
    { isActive: false },
  ),
)

const item = fc.dictionary(
  fc.constantFrom(
    'id',
    'key',
    'value',
    'comment',
    'path',
    'tags',
    'type',
    'override',
    'expiresAt',
    'expires_at',
    'version',
    'keyDigest',
    'extra',
  ),
  wild,
)

test('bodies of any shape are answered below 500, whatever the content type', async () => {
  const good = { key: () => `K${randomUUID()}`, value: () => 'v' }
  const secrets = fc.oneof(
    fc.array(fc.oneof(item, wild), { maxLength: 3 }),
    item.map((one) => [{ key: good.key(), value: 'v', ...one }]),
    item.map((one) => [{ id: secretId, ...one }]),
    wild,
  )
  const body = fc.oneof(
    secrets.map((list) => ({ secrets: list })),
    fc.dictionary(fc.constantFrom('secrets', 'content', 'format', 'path', 'dry_run', 'at', 'extra'), wild),
    wild,
  )
  const routes: [string, string][] = [
    ['POST', `/v1/secrets${place}`],
    ['PUT', `/v1/secrets${place}`],
    ['DELETE', `/v1/secrets${place}`],
    ['POST', `/v1/secrets/import${place}`],
    ['POST', `/v1/environments/${shop.environments[1]?.id}/secrets/restore`],
  ]
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...routes),
      body,
      fc.constantFrom('application/json', 'text/plain'),
      async ([method, path], value, type) => {
        await send(method, path, JSON.stringify(value), type)
      },
    ),
    { numRuns: 400 },
  )
}, 60_000)

test('files of any content are answered below 500', async () => {
  const part = fc.constantFrom(
    'A',
    'B1',
    '=',
    '"',
    "'",
    '`',
    '\n',
    '\\',
    '#',
    ' ',
    '${A}',
    '{',
    '}',
    '":"',
    '\0',
    'export ',
    '\u{feff}',
    '日',
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(part, { maxLength: 30 }),
      fc.constantFrom('dotenv', 'json'),
      async (parts, format) => {
        await send(
          'POST',
          `/v1/secrets/import${place}`,
          JSON.stringify({ content: parts.join(''), format, dry_run: true }),
        )
      },
    ),
    { numRuns: 200 },
  )
}, 60_000)

test('queries of any shape are answered below 500', async () => {
  const names = ['app_id', 'env', 'key', 'path', 'tags', 'raw', 'format', 'from', 'to']
  const value = fc.oneof(
    fc.string({ maxLength: 20 }),
    fc.constantFrom(
      shop.id,
      'production',
      'true',
      '',
      '%00',
      '%',
      '%ff',
      'a'.repeat(3000),
      '/',
      'json',
      '\u0301'.repeat(100),
    ),
  )
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('/v1/secrets', '/v1/secrets/export', '/v1/secrets/diff'),
      fc.array(fc.tuple(fc.constantFrom(...names), value), { maxLength: 6 }),
      fc.boolean(),
      async (path, pairs, isPlaced) => {
        const query = pairs.map(
          ([name, text]) => `${name}=${text.includes('%') ? text : encodeURIComponent(text)}`,
        )
        await send('GET', `${path}${isPlaced ? place : '?'}&${query.join('&')}`)
      },
    ),
    { numRuns: 300 },
  )
}, 60_000)

test('references of any shape, and those that clients have sealed, are answered in time', async () => {
  const made = await app(ctx)
  const at = `?app_id=${made.id}&env=production`
  const [row] = await ctx.db<{ public_key: string }[]>`
    select public_key from environments where id = ${made.environments[1]?.id ?? ''}`
  const seal = (text: string) => wrapForPublicKey(text, Buffer.from(row?.public_key ?? '', 'hex'))
  const size = 64 * 1024
  const fill = (part: (index: number) => string) => {
    let text = ''
    for (let index = 0, bytes = 0; bytes < size - 200; index++) {
      text += part(index)
      bytes += Buffer.byteLength(part(index))
    }
    return text
  }
  const values = [
    fill(() => '${'),
    fill(() => '${{'),
    fill(() => '${A}'),
    fill((index) => `\${e${index}.A}`),
    fill((index) => `\${a${index}::e.A}`),
    fill((index) => `\${/p${index}/A}`),
    fill((index) => `\${${made.name}::production./p${index}/A}`),
    fill((index) => `\${K${index % 20}}`),
    fill(() => `\${${'\u0301'.repeat(50)}::production.A}`),
    `\${${'/'.repeat(60_000)}A}`,
    `\${${'x'.repeat(60_000)}}`,
    '${\0} ${\0::production.A} ${production./\0/A} ${\0.A} ${a\0::b.A}',
    '${A${B}} ${{A}} ${::.} ${.} ${/} ${é::日.本}',
  ]
  const secrets = values.map((value, index) => ({
    key: seal(`K${index}`),
    keyDigest: digestOf(`K${index}`),
    value: seal(value),
  }))
  for (const one of secrets) {
    // References are read by age, up to a limit: those to A are among the first.
    ctx.clock.advance(1)
    const response = await service.app.handle(
      new Request('http://localhost/service/secrets/', {
        method: 'POST',
        body: JSON.stringify({ secrets: [one] }),
        headers: { authorization: `Bearer ${ada.token}`, environment: made.environments[1]?.id ?? '' },
      }),
    )
    expect(response.status).toBe(200)
  }
  const plain = Array.from({ length: 20 }, (_, index) => ({
    key: `K${index}`,
    value: `\${K${index + 1}}\${K${index + 1}}\${K${(index * 7) % 20}}`,
  }))
  expect(
    (
      await send(
        'POST',
        `/v1/secrets${at}`,
        JSON.stringify({ secrets: [...plain, { key: 'A', value: 'a' }] }),
      )
    ).status,
  ).toBe(200)
  const { status, text } = await send('GET', `/v1/secrets${at}`)
  expect(status).toBe(200)
  expect(text.length).toBeLessThan(12 * 1024 * 1024)
  const read: { key: string; value: string }[] = JSON.parse(text)
  expect(read).toHaveLength(values.length + plain.length + 1)
  expect(read.find(({ value }) => value.startsWith('aaaa'))?.value).toMatch(/^a+$/)
}, 60_000)
