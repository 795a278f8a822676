import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createServerKeys } from '../../../src/core/keys/server-keys.ts'
import { api, type Client } from '../../support/api.ts'
import { app, type TestApp } from '../../support/apps.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { recordedLog } from '../../support/log-recorder.ts'
import { member, owner, type Person, phaseToken } from '../../support/people.ts'
import { recordCalls } from '../../support/recorded-tracing.ts'
import { sealedSecret, secretsOf } from '../../support/secrets.ts'

let ctx: TestContext
let recorded: ReturnType<typeof recordedLog>
let ada: Person
let client: Client
/** The fields that the server has unwrapped with its own keys, each as `table.field`. */
let unwrapped: string[] = []

beforeAll(async () => {
  const made = await testContext()
  recorded = recordedLog()
  const keys = createServerKeys(made.config.serverSecret)
  ctx = {
    ...made,
    log: recorded.log,
    keys: {
      ...keys,
      unwrap: (purpose, wrapped, field) => {
        unwrapped.push(`${field.table}.${field.field}`)
        return keys.unwrap(purpose, wrapped, field)
      },
    },
  }
  ada = await owner(ctx)
  client = api(ctx).as(ada.token)
})
afterAll(() => ctx.close())

const counted = async (work: () => Promise<unknown>): Promise<string[]> => {
  unwrapped = []
  await work()
  return unwrapped.toSorted()
}
const placeOf = ({ id }: TestApp, env = 'production') => `/v1/secrets/?app_id=${id}&env=${env}`

describe('where server-side encryption is off', () => {
  test('two environments of which either is unknown are 404, not 400', async () => {
    const dark = await app(ctx)
    await client.put(`/v1/apps/${dark.id}`, { sse_enabled: false })
    for (const query of ['from=none&to=production', 'from=production&to=none']) {
      expect((await client.get(`/v1/secrets/diff?app_id=${dark.id}&${query}`)).status).toBe(404)
    }
  })

  test('no handler opens an environment’s seed or salt, nor another app’s reference to it', async () => {
    const dark = await app(ctx)
    const environmentId = dark.environments[1]?.id ?? ''
    const at = placeOf(dark)
    const [known] = (await client.post(at, { secrets: [{ key: 'KEY', value: 'v' }] })).body
    await client.put(`/v1/apps/${dark.id}`, { sse_enabled: false })
    const sealed = secretsOf(client, environmentId)
    const off = { error: 'Server-side encryption is off for this app.' }
    const found = await counted(async () => {
      const query = at.slice(at.indexOf('?'))
      const refused = [
        client.get(at),
        client.get(`${at}&key=KEY&raw=true`),
        client.post(at, { secrets: [{ key: 'A', value: '' }] }),
        client.put(at, { secrets: [{ id: known.id, value: 'x' }] }),
        client.send('DELETE', at, { body: JSON.stringify({ secrets: [known.id] }) }),
        client.get(`/v1/secrets/export${query}`),
        client.post(`/v1/secrets/import${query}`, { content: 'A=1' }),
        client.get(`/v1/secrets/diff?app_id=${dark.id}&from=production&to=development`),
        client.post(`/v1/environments/${environmentId}/rekey`),
        client.put(`/v1/secrets/${known.id}/override`, { plain_value: 'x' }),
      ]
      for (const answer of refused) expect(await answer).toMatchObject({ status: 400, body: off })
      await sealed('GET')
      const [other] = (await sealed('POST', [sealedSecret('OTHER')])).body
      await sealed('PUT', [{ id: other.id, value: sealedSecret('x').value }])
      await client.get(`/v1/secrets/${other.id}/versions?values=true`)
      await client.post(`/v1/secrets/${other.id}/restore`, { version: 1 })
      await client.put(`/v1/secrets/${other.id}/override`, { value: sealedSecret('x').value })
      await client.get('/service/secrets/tokens/')
      await sealed('DELETE', [other.id])
    })
    expect(found).toEqual([])
    const bright = await app(ctx)
    await client.post(placeOf(bright), {
      secrets: [{ key: 'REF', value: `\${${dark.name}::production.KEY}` }],
    })
    const read = await counted(async () => {
      expect((await client.get(placeOf(bright))).body[0].value).toBe(`\${${dark.name}::production.KEY}`)
    })
    expect(read).toEqual(['environments.wrapped_seed'])
  })

  test('a bearer in Phase’s format alone opens nothing', async () => {
    const dark = await app(ctx)
    await client.post(placeOf(dark), { secrets: [{ key: 'KEY', value: 'v' }] })
    await client.put(`/v1/apps/${dark.id}`, { sse_enabled: false })
    const { bearer } = await phaseToken(ctx, ada.id)
    const thief = api(ctx).as(bearer)
    const keys = await thief.get('/v1/me/keys')
    expect([keys.status, keys.body.wrappedPrivateKey]).toEqual([200, null])
    expect((await thief.get(placeOf(dark))).status).toBe(400)
    const { body } = await secretsOf(thief, dark.environments[1]?.id ?? '')('GET')
    expect(body[0].value).toMatch(/^ph:v1:/)
  })
})

describe('where it is on', () => {
  test('a request opens the seed once, and the salt once where it needs digests', async () => {
    const shop = await app(ctx)
    const at = placeOf(shop)
    const secrets = Array.from({ length: 120 }, (_, index) => ({
      key: `K${index}`,
      value: `\${K${index + 1}}`,
    }))
    const both = ['environments.wrapped_salt', 'environments.wrapped_seed']
    expect(await counted(() => client.post(at, { secrets }))).toEqual(both)
    expect(await counted(() => client.get(`${at}&raw=true`))).toEqual(['environments.wrapped_seed'])
    expect(await counted(() => client.get(at))).toEqual(both)
    expect(await counted(() => client.get(`${at}&key=k5`))).toEqual(both)
    expect(await counted(() => client.get(`/v1/secrets/?app_id=${shop.id}&env=development`))).toEqual([])
  })

  test('an answer in clear is never kept in memory', async () => {
    const shop = await app(ctx)
    await client.post(placeOf(shop), { secrets: [{ key: 'KEY', value: 'v' }] })
    for (let time = 0; time < 3; time++) {
      expect(await counted(() => client.get(placeOf(shop)))).toEqual(['environments.wrapped_seed'])
    }
  })

  test('plaintext and names of keys are in no log, metric, trace, audit entry or table', async () => {
    const [name, value, comment, own] = ['NEEDLE_NAME', 'needle_value', 'needle_comment', 'needle_override']
    const shop = await app(ctx)
    const at = placeOf(shop)
    const query = at.slice(at.indexOf('?'))
    const { calls, stop } = recordCalls({ requests: true })
    const answers: unknown[] = []
    try {
      const [one] = (
        await client.post(at, {
          secrets: [
            { key: name, value, comment, override: { value: own } },
            { key: `${name}_2`, value: `\${${name}}` },
          ],
        })
      ).body
      await client.get(`${at}&key=${name}`)
      await client.get(`/v1/secrets/export${query}&format=kubernetes`)
      await client.post(`/v1/secrets/import${query}`, { content: `${name}=${value}2\n${name}_3=${value}` })
      await client.get(`/v1/secrets/diff?app_id=${shop.id}&from=production&to=development`)
      await client.put(at, { secrets: [{ id: one.id, key: `${name}_4`, value: `${value}4` }] })
      await client.post(`/v1/environments/${shop.environments[1]?.id}/rekey`)
      // What is refused says nothing of what was sent.
      const refused = [
        client.post(at, { secrets: [{ key: `${name}_4`, value }] }),
        client.post(at, { secrets: [{ key: `${name} x`, value }] }),
        client.post(at, { secrets: [{ key: name, value: value.repeat(10_000) }] }),
        client.post(at, { secrets: [{ key: name, value: { x: value } }] }),
        client.send('POST', at, {
          body: `{"secrets": [{"key": "${name}", "value": "${value}"`,
          headers: { 'content-type': 'application/json' },
        }),
        client.post(`/v1/secrets/import${query}`, { content: `${name} ${value}` }),
        client.post(`/v1/secrets/import${query}`, { content: `{"${name}": ["${value}"]}`, format: 'json' }),
        client.get(`${at}&key=${name}&raw=${value}`),
        client.get(`/v1/secrets/?app_id=${value}&env=${name}`),
      ]
      for (const answer of refused) {
        const { status, body } = await answer
        expect(status).toBeGreaterThanOrEqual(400)
        expect(status).toBeLessThan(500)
        answers.push(body)
      }
      await client.send('DELETE', at, { body: JSON.stringify({ secrets: [one.id] }) })
      await ctx.repeats.flush()
    } finally {
      stop()
    }
    const dumped = await dump()
    expect(dumped).toContain('secret.created')
    const everything = [
      dumped,
      recorded.lines.join('\n'),
      JSON.stringify(calls),
      JSON.stringify(answers),
      ctx.metrics.text(),
    ]
    expect(calls.length).toBeGreaterThan(50)
    for (const text of everything) expect(text).not.toMatch(/needle/i)
  })
})

test('a member whose role may not read gets none of what it writes', async () => {
  const permissions = { permissions: {}, app_permissions: { Secrets: ['create', 'update'] } }
  const role = await client.post('/v1/roles', { name: 'Writer', permissions })
  const writer = await member(ctx, { id: role.body.id })
  const shop = await app(ctx)
  await client.put(`/v1/members/${writer.id}/access`, {
    apps: [{ id: shop.id, environments: [shop.environments[1]?.id] }],
  })
  const theirs = api(ctx).as(writer.token)
  const at = placeOf(shop)
  expect(await theirs.post(at, { secrets: [{ key: 'A', value: '1' }] })).toMatchObject({
    status: 200,
    body: [],
  })
  const [{ id }] = (await client.get(at)).body
  expect(await theirs.put(at, { secrets: [{ id, value: '2' }] })).toMatchObject({ status: 200, body: [] })
  expect((await theirs.get(at)).status).toBe(403)
  expect((await client.get(at)).body[0].value).toBe('2')
})

/** Every row of every table, as text. */
async function dump(): Promise<string> {
  const tables = await ctx.db<{ name: string }[]>`
    select quote_ident(table_schema) || '.' || quote_ident(table_name) as name from information_schema.tables
    where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`
  const rows: string[] = []
  for (const { name } of tables) {
    for (const { text } of await ctx.db.unsafe(`select t::text as text from ${name} t`)) rows.push(text)
  }
  return rows.join('\n')
}
