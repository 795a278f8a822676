import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { api } from '../../support/api.ts'
import { app } from '../../support/apps.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { recordedLog } from '../../support/log-recorder.ts'
import { owner, type Person } from '../../support/people.ts'
import { sealedSecret, secretsOf } from '../../support/secrets.ts'

// Whatever is sent: an answer below 500, soon, and the secrets that were there stay as they were.

const logged = recordedLog()
let ctx: TestContext
let ada: Person
let service: ReturnType<typeof api>
let environmentId: string
let stored: { id: string }[]

beforeAll(async () => {
  ctx = await testContext()
  service = api({ ...ctx, log: logged.log })
  ada = await owner(ctx)
  environmentId = (await app(ctx)).environments[0]?.id ?? ''
  stored = (await secretsOf(service.as(ada.token), environmentId)('POST', [sealedSecret('ONE')])).body
})
afterAll(() => ctx.close())

/** Past the checks of every answer: whether chance changes anything, and so leaves an entry, is chance. */
async function ask(method: string, body: string | Uint8Array | undefined, headers: Record<string, string>) {
  const start = performance.now()
  const response = await service.app.handle(
    new Request('http://localhost/service/secrets/', {
      method,
      headers: { authorization: `Bearer ${ada.token}`, environment: environmentId, ...headers },
      ...(body !== undefined && { body }),
    }),
  )
  const text = await response.text()
  const what = `${method} ${JSON.stringify(headers)} ${String(body).slice(0, 300)} → ${text.slice(0, 200)}`
  expect(response.status, what).toBeLessThan(500)
  expect(performance.now() - start, what).toBeLessThan(2000)
  if (response.status >= 400) expect(Object.keys(JSON.parse(text)), what).toEqual(['error'])
  return response.status
}

const method = fc.constantFrom('POST', 'PUT', 'DELETE')
const type = fc.constantFrom('application/json', 'text/plain', 'application/x-www-form-urlencoded', 'x', '')
const value = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(null, true, 1e308, '', [], {}, '../..', '\0', '\ud800', 'ph:v1:', '9'.repeat(64), [[]]),
  fc.jsonValue({ maxDepth: 3 }),
)
const field = fc.constantFrom(
  ...[
    'id',
    'key',
    'keyDigest',
    'value',
    'comment',
    'path',
    'tags',
    'type',
    'override',
    'expiresAt',
    'version',
  ],
  ...['toString', 'constructor', 'hasOwnProperty', 'length', 'key_digest'],
)

const unchanged = async () => {
  const { body } = await secretsOf(service.as(ada.token), environmentId)('GET')
  expect(body.find(({ id }: { id: string }) => id === stored[0]?.id)).toEqual(stored[0])
}

test('bytes that are no JSON, whatever the content type says', async () => {
  await fc.assert(
    fc.asyncProperty(method, type, fc.uint8Array({ maxLength: 500 }), async (method, type, bytes) => {
      const status = await ask(method, bytes, { 'content-type': type })
      expect(status).toBe(400)
    }),
    { numRuns: 300 },
  )
  await unchanged()
})

test('JSON of any shape', async () => {
  await fc.assert(
    fc.asyncProperty(method, fc.json(), async (method, body) => {
      await ask(method, body, {})
      await ask(method, `{"secrets":${body}}`, {})
      await ask(method, `{"secrets":[${body}]}`, {})
    }),
    { numRuns: 200 },
  )
  await unchanged()
})

test('a secret with any of its fields replaced', async () => {
  await fc.assert(
    fc.asyncProperty(method, field, value, async (method, field, value) => {
      const secret = { ...sealedSecret('TWO'), ...(method === 'PUT' && { id: stored[0]?.id }) }
      const changed = { ...secret, value: 'never sealed', [field]: value }
      expect(await ask(method, JSON.stringify({ secrets: [changed] }), {})).toBe(400)
      const partial = { id: stored[0]?.id, override: { [field]: value } }
      expect(await ask('POST', JSON.stringify({ secrets: [partial] }), {})).toBe(400)
    }),
    { numRuns: 300 },
  )
  await unchanged()
})

test('bodies that are deep, long, or have many fields', async () => {
  const bodies = [
    '['.repeat(500_000),
    `{"secrets":${'['.repeat(1000)}${']'.repeat(1000)}}`,
    `{"secrets":[${'{},'.repeat(300_000)}{}]}`,
    `{"secrets":[${'0,'.repeat(500_000)}0]}`,
    `{"secrets":[{${Array.from({ length: 50_000 }, (_, n) => `"f${n}":1`).join(',')}}]}`,
    `{"secrets":[{"path":"${'/'.repeat(1_000_000)}"}]}`,
    `{"secrets":[{"path":"${'a/'.repeat(500_000)}"}]}`,
    `{"secrets":[{"tags":["${'\\u0301'.repeat(150_000)}"]}]}`,
    `{"secrets":[{"value":"ph:v1:${'a'.repeat(64)}:${'A'.repeat(900_000)}"}]}`,
    `{"secrets":[{"keyDigest":"${'0'.repeat(1_000_000)}"}]}`,
    `{"secrets":["${'-'.repeat(1_000_000)}"]}`,
    `{"secrets":[],"secrets":[{}]}`,
    `{"__proto__":{"secrets":[]}}`,
    `{"secrets":[{"__proto__":{}}]}`,
    '"secrets"',
    'null',
    '',
  ]
  for (const method of ['POST', 'PUT', 'DELETE']) {
    for (const body of bodies)
      expect(await ask(method, body, {}), body.slice(0, 60)).toBeGreaterThanOrEqual(400)
  }
  await unchanged()
})

test('headers of any bytes', async () => {
  const name = fc.constantFrom(
    'environment',
    'path',
    'keydigest',
    'tags',
    'x-use-camel-case',
    'dynamic',
    'lease',
  )
  const bytes = fc
    .array(
      fc.integer({ min: 0x20, max: 0xff }).filter((byte) => byte !== 0x7f),
      { maxLength: 300 },
    )
    .map((all) => String.fromCharCode(...all))
  const special = fc.constantFrom(
    '/',
    '//',
    '..',
    '/../..',
    ',',
    ',,,',
    'a,'.repeat(2000),
    '/a'.repeat(4000),
    '%00',
  )
  await fc.assert(
    fc.asyncProperty(name, fc.oneof(bytes, special), async (name, text) => {
      await ask('GET', undefined, { [name]: text })
      await ask('DELETE', '{"secrets":[]}', { [name]: text })
    }),
    { numRuns: 400 },
  )
  await unchanged()
})

test('nothing of this is an error in the log', () => {
  expect(logged.lines.filter((line) => line.includes('"level":50'))).toEqual([])
})
