import { afterAll, beforeAll, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { type Attributes, setTracing, type Tracing, tracing } from '../../../src/platform/tracing.ts'
import { api, type Client } from '../../support/api.ts'
import { app } from '../../support/apps.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { recordedLog } from '../../support/log-recorder.ts'
import { owner } from '../../support/people.ts'
import { recordCalls } from '../../support/recorded-tracing.ts'
import { digestOf, seal, sealedSecret, secretsOf } from '../../support/secrets.ts'

// Each text of a secret is a needle; nothing that is kept or told beside the secrets themselves may have one.

const logged = recordedLog()
let ctx: TestContext
let client: Client
let environmentId: string
let secrets: ReturnType<typeof secretsOf>

beforeAll(async () => {
  ctx = await testContext()
  client = api({ ...ctx, log: logged.log }).as((await owner(ctx)).token)
  environmentId = (await app(ctx)).environments[0]?.id ?? ''
  secrets = secretsOf(client.unrecorded, environmentId)
})
afterAll(() => ctx.close())

/** What is traced of requests, and of the calls that they make. */
function recordRequests(): ReturnType<typeof recordCalls> {
  const recorded = recordCalls()
  const describe = (name: string, attributes: Attributes) => {
    recorded.calls.push({ name, attributes, failed: null, isOver: true })
  }
  setTracing({
    ...(tracing() as Tracing),
    follow: (_kind, _name, _traceparent, work) => work({ describe, fail: () => {}, end: () => {} }),
  })
  return recorded
}

test('no digest, ciphertext or value is in a log line, an audit entry, a metric, a trace or an error', async () => {
  const { calls, stop } = recordRequests()
  const said: string[] = []
  const needles = new Set<string>()
  const needle = (text: string) => {
    needles.add(text)
    return text
  }
  const fresh = (name: string) => {
    const secret = sealedSecret(name, `value of ${name}`, {
      comment: seal(`comment of ${name}`),
      override: { value: seal(`override of ${name}`) },
    })
    const { override } = secret as unknown as { override: { value: string } }
    for (const text of [secret.key, secret.keyDigest, secret.value, secret.comment, override.value])
      needle(text)
    return secret
  }
  const ask = async (...[method, body, headers]: Parameters<typeof secrets>) => {
    const answer = await secrets(method, body, headers).catch((error: unknown) => {
      // What leaves an entry is no fault here.
      if (!String(error).includes('audit log')) throw error
      return null
    })
    if (answer !== null && answer.status >= 400) said.push(JSON.stringify(answer.body))
    return answer
  }
  try {
    const one = fresh('NEEDLE_ONE')
    await ask('POST', [one])
    const [stored] = (await secrets('GET')).body
    await ask('GET', undefined, { keydigest: one.keyDigest })
    await ask('POST', [one])
    await ask('POST', [{ ...fresh('NEEDLE_TWO'), key: needle('a needle in clear') }])
    await ask('POST', [{ ...fresh('NEEDLE_THREE'), value: needle('value in clear'), tags: ['a', 'a'] }])
    await ask('POST', [{ ...fresh('NEEDLE_FOUR'), keyDigest: needle(`${digestOf('x')}0`) }])
    await ask('PUT', [{ id: stored.id, ...fresh('NEEDLE_FIVE') }])
    await ask('PUT', [{ id: randomUUID(), ...fresh('NEEDLE_SIX') }])
    await ask('DELETE', [stored.id, needle('an id that is a needle')])
    for (const path of [
      `/v1/secrets/${stored.id}/versions?values=true`,
      `/v1/secrets/${stored.id}/versions`,
    ]) {
      await client.get(path)
    }
    await client.unrecorded.post(`/v1/secrets/${stored.id}/restore`, { version: 1 }).catch(() => {})
    const override = `/v1/secrets/${stored.id}/override`
    await client.unrecorded.put(override, { plain_value: needle('an override in clear') }).catch(() => {})
    said.push(JSON.stringify((await client.unrecorded.put(override, { value: needle('not sealed') })).body))
    // A fault of the database, whose message has the row.
    await ctx.db`alter table secrets add constraint broken check (comment = '') not valid`
    await ask('POST', [fresh('NEEDLE_SEVEN')])
    await ctx.db`alter table secrets drop constraint broken`
  } finally {
    stop()
  }
  await ctx.repeats.flush()
  const entries = await ctx.db`select row_to_json(e) as entry from audit_entries e`
  const places: Record<string, string> = {
    log: logged.lines.join('\n'),
    'audit log': JSON.stringify(entries),
    metrics: ctx.metrics.text(),
    traces: JSON.stringify(calls),
    errors: said.join('\n'),
  }
  for (const [place, text] of Object.entries(places)) {
    const found = [...needles].filter((one) => text.includes(one) || text.includes(one.slice(-24)))
    expect(found, place).toEqual([])
  }
  expect(needles.size).toBeGreaterThan(30)
  expect(said.length).toBeGreaterThan(4)
  expect(entries.length).toBeGreaterThan(5)
  expect(calls.length).toBeGreaterThan(0)
  expect(logged.lines.join()).toContain('Request failed')
})
