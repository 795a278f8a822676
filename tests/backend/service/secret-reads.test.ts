import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { removeExpired } from '../../../src/core/housekeeping.ts'
import { api, type Client } from '../../support/api.ts'
import { app, appWith, grant } from '../../support/apps.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { member, owner, type Person, token } from '../../support/people.ts'
import { digestOf, seal, sealedSecret, secretsOf } from '../../support/secrets.ts'

let ctx: TestContext
let ada: Person
let service: ReturnType<typeof api>
/** A backend where each actor has had 3,000 entries in this hour. */
let busy: ReturnType<typeof api>
let client: Client
let environmentId: string
let secrets: ReturnType<typeof secretsOf>

beforeAll(async () => {
  ctx = await testContext()
  service = api(ctx)
  const { sizeOf, ...repeats } = ctx.repeats
  const sizeAfterMany: typeof sizeOf = (group, minute) => {
    const { inMinute, inHour } = sizeOf(group, minute)
    return { inMinute, inHour: inHour + 3000 }
  }
  busy = api({ ...ctx, repeats: { ...repeats, sizeOf: sizeAfterMany } })
  ada = await owner(ctx)
  client = service.as(ada.token)
})
beforeEach(async () => {
  environmentId = (await app(ctx)).environments[0]?.id ?? ''
  secrets = secretsOf(client, environmentId)
  ctx.clock.advance(60)
})
afterAll(() => ctx.close())

const hits = () =>
  Number(/memory_reads_total\{what="answer",result="hit"\} (\d+)/.exec(ctx.metrics.text())?.[1])

type Entry = {
  count: number
  new_values: { secrets: { id: string }[]; total: number | null }
  ip_address: string | null
}
const reads = () => ctx.db<Entry[]>`
  select count, new_values, ip_address from audit_entries
  where event_type = 'secret.read' and environment_id = ${environmentId} order by timestamp, id`

describe('an answer from memory', () => {
  test('differs by each header that says what is asked for, and by the caller', async () => {
    const sent = [sealedSecret('A', 'a', { tags: ['x'] }), sealedSecret('B', 'b', { path: '/db' })]
    const [a, b] = (await secrets('POST', sent)).body
    const asked: [Record<string, string>, unknown[]][] = [
      [{}, [a, b]],
      [{ path: '/db' }, [b]],
      [{ path: '/' }, [a]],
      [{ tags: 'x' }, [a]],
      [{ keydigest: digestOf('B') }, [b]],
      [{ path: '/nowhere' }, []],
    ]
    for (const [headers, expected] of [...asked, ...asked]) {
      expect((await secrets('GET', undefined, headers)).body).toEqual(expected)
    }
    const camel = await secrets('GET', undefined, { 'x-use-camel-case': 'true' })
    expect(camel.body[0].keyDigest).toBe(digestOf('A'))
    expect((await secrets('GET')).body[0].key_digest).toBe(digestOf('A'))
    const other = (await app(ctx)).environments[0]?.id ?? ''
    expect((await secretsOf(client, other)('GET')).body).toEqual([])
    const stranger = service.as((await member(ctx, 'developer')).token)
    expect((await secretsOf(stranger, environmentId)('GET')).status).toBe(404)
    expect((await secrets('GET')).body).toEqual([a, b])
    const before = hits()
    await secrets('GET')
    expect(hits()).toBe(before + 1)
  })

  test('is never older than a change that was answered', async () => {
    const [one] = (await secrets('POST', [sealedSecret('ONE')])).body
    for (const round of [1, 2, 3]) {
      await secrets('GET')
      const value = seal(`value ${round}`)
      await secrets('PUT', [{ id: one.id, value }])
      expect((await secrets('GET')).body[0]).toMatchObject({ value, version: round + 1 })
      const override = { value: seal(`mine ${round}`) }
      await secrets('PUT', [{ id: one.id, override }])
      expect((await secrets('GET')).body[0].override).toMatchObject(override)
    }
    await client.delete(`/v1/secrets/${one.id}/override`)
    expect((await secrets('GET')).body[0].override).toBeNull()
    await secrets('DELETE', [one.id])
    expect((await secrets('GET')).body).toEqual([])
  })
})

describe('secret.read', () => {
  test('is in the audit log before the answer, once a minute, and repeats are counted', async () => {
    const [one] = (await secrets('POST', [sealedSecret('ONE')])).body
    await secrets('GET')
    const ref = { id: one.id, path: '/', version: 1, type: 'secret' }
    const first = { count: 1, new_values: { secrets: [ref], total: 1 }, ip_address: '127.0.0.1' }
    expect([...(await reads())]).toEqual([first])
    for (let time = 0; time < 4; time++) await secrets('GET')
    expect((await reads())[0]?.count).toBe(1)
    await ctx.repeats.flush()
    expect([...(await reads())]).toEqual([{ ...first, count: 5 }])
    ctx.clock.advance(60)
    await secrets('GET')
    expect(await reads()).toHaveLength(2)
  })

  test('is told of an answer of 304, and of HEAD', async () => {
    await secrets('POST', [sealedSecret('ONE')])
    const etag = (await secrets('GET')).headers.get('etag') ?? ''
    const ask = (method: string, headers: Record<string, string> = {}) =>
      service.app.handle(
        new Request('http://localhost/service/secrets/', {
          method,
          headers: { authorization: `Bearer ${ada.token}`, environment: environmentId, ...headers },
        }),
      )
    expect((await ask('GET', { 'if-none-match': etag })).status).toBe(304)
    expect((await ask('HEAD')).status).toBe(200)
    await ctx.repeats.flush()
    expect((await reads())[0]?.count).toBe(3)
  })

  test('names what each filter gave, and at most the first hundred', async () => {
    const many = Array.from({ length: 101 }, (_, index) =>
      sealedSecret(`K${index}`, 'v', { path: `/p${index % 2}` }),
    )
    await secrets('POST', many)
    await secrets('GET', undefined, { path: '/p1' })
    await secrets('GET')
    const entries = await reads()
    expect(entries.map(({ new_values: { secrets, total } }) => [secrets.length, total])).toEqual(
      expect.arrayContaining([
        [50, 50],
        [100, 101],
      ]),
    )
  })

  test('tells reads of more than a hundred apart by those that it does not name, too', async () => {
    const { body } = await secrets(
      'POST',
      Array.from({ length: 101 }, (_, index) => sealedSecret(`K${index}`)),
    )
    await secrets('GET')
    const named = new Set((await reads())[0]?.new_values.secrets.map(({ id }) => id))
    const unnamed = (body as { id: string }[]).find(({ id }) => !named.has(id))?.id
    expect((await secrets('PUT', [{ ...sealedSecret('CHANGED'), id: unnamed }])).status).toBe(200)
    await secrets('GET')
    expect((await reads()).map(({ count }) => count)).toEqual([1, 1])
  })

  test('is told of every token, and a flood of different readers shares an entry', async () => {
    await secrets('POST', [sealedSecret('ONE')])
    const second = service.as(await token(ctx, ada.id, 'pat'))
    await secrets('GET')
    await secretsOf(second, environmentId)('GET')
    expect(await reads()).toHaveLength(2)
    const flood = secretsOf(busy.as(ada.token), environmentId)
    for (let time = 0; time < 150; time++) {
      await flood('GET', undefined, { 'user-agent': `agent ${time}` })
    }
    await ctx.repeats.flush()
    const entries = await reads()
    expect(entries).toHaveLength(100 + 1)
    expect(entries.reduce((sum, { count }) => sum + count, 0)).toBe(152)
    expect(entries.filter(({ ip_address }) => ip_address === null)).toHaveLength(1)
  })

  test('has 100 entries a minute of an actor that had 3,000 in the hour, whatever it reads with, and then one an hour of each environment', async () => {
    // A flood in the first minute of an hour.
    ctx.clock.advance(3600 - ((ctx.clock.now().getTime() / 1000) % 3600))
    const reader = await member(ctx, 'developer')
    const { environments } = await appWith(ctx, `App ${randomUUID()}`, ['One', 'Two'])
    await grant(ctx, reader.id, environments)
    const tokens = [reader.token, await token(ctx, reader.id, 'pat'), await token(ctx, reader.id, 'pat')]
    const flood = async () => {
      for (const text of tokens) {
        for (const { id } of environments) {
          for (let time = 0; time < 25; time++) {
            await secretsOf(busy.as(text), id)('GET', undefined, { 'user-agent': `agent ${time}` })
          }
        }
      }
    }
    const entries = async () => {
      await ctx.repeats.flush()
      return await ctx.db<
        { count: number; shared: boolean; actor_metadata: object; user_agent: string | null }[]
      >`
        select count, ip_address is null as shared, actor_metadata, user_agent from audit_entries
        where event_type = 'secret.read' and actor_id = ${reader.id} order by timestamp, id`
    }
    const sumOf = (some: readonly { count: number }[]) => some.reduce((sum, { count }) => sum + count, 0)
    await flood()
    expect(await entries()).toHaveLength(100 + 2)
    expect(sumOf(await entries())).toBe(150)
    for (const entry of (await entries()).filter(({ shared }) => shared)) {
      expect(entry).toMatchObject({ count: 25, user_agent: null })
      expect(Object.keys(entry.actor_metadata).toSorted()).toEqual(['name', 'role'])
    }
    // In another minute of the hour, when the keys of the first are gone.
    ctx.clock.advance(59 * 60)
    await removeExpired(ctx)
    await flood()
    expect(await entries()).toHaveLength(200 + 2)
    expect(sumOf(await entries())).toBe(300)
    ctx.clock.advance(60)
    await flood()
    expect(await entries()).toHaveLength(300 + 4)
    expect(sumOf(await entries())).toBe(450)
  })

  test('leaves room for the targets of refusals', async () => {
    const reader = await member(ctx, 'developer')
    const { environments } = await appWith(ctx, `App ${randomUUID()}`, ['One'])
    await grant(ctx, reader.id, environments)
    const theirs = service.as(reader.token)
    const secretsThere = secretsOf(theirs, environments[0]?.id ?? '')
    for (let time = 0; time < 25; time++) {
      await secretsThere('GET', undefined, { 'user-agent': `agent ${time}` })
    }
    for (let time = 0; time < 21; time++) {
      expect((await theirs.get(`/v1/service-accounts/${randomUUID()}`)).status).toBe(403)
    }
    const refusals = await ctx.db<{ resource_id: string | null }[]>`
      select resource_id from audit_entries
      where event_type = 'service_account.read_refused' and actor_id = ${reader.id}`
    expect(refusals.filter(({ resource_id }) => resource_id !== null)).toHaveLength(20)
    expect(refusals).toHaveLength(21)
  })

  test('is told where a change that changes nothing answers with the secret', async () => {
    const [one] = (await secrets('POST', [sealedSecret('ONE')])).body
    expect((await secrets('PUT', [{ id: one.id }])).body[0].value).toBe(one.value)
    expect(await reads()).toHaveLength(1)
  })

  test('is told of versions with their values, and not of those without', async () => {
    const [one] = (await secrets('POST', [sealedSecret('ONE')])).body
    await client.get(`/v1/secrets/${one.id}/versions`)
    expect(await reads()).toHaveLength(0)
    await client.get(`/v1/secrets/${one.id}/versions?values=true`)
    await client.get(`/v1/secrets/${one.id}/versions?values=true`)
    await ctx.repeats.flush()
    expect((await reads()).map(({ count }) => count)).toEqual([2])
  })

  test('that cannot be written is no answer, and is tried again', async () => {
    await secrets('POST', [sealedSecret('ONE')])
    await ctx.db`alter table audit_entries rename to hidden_entries`
    // Also from memory: it was loaded by another caller, or a minute ago.
    const failed = await client.unrecorded.send('GET', '/service/secrets/', {
      headers: { environment: environmentId },
    })
    await ctx.db`alter table hidden_entries rename to audit_entries`
    expect(failed.status).toBe(500)
    expect((await secrets('GET')).status).toBe(200)
    expect(await reads()).toHaveLength(1)
  })

  test('counts that could not be written are written later', async () => {
    await secrets('POST', [sealedSecret('ONE')])
    await secrets('GET')
    await secrets('GET')
    await ctx.db`alter table audit_entries rename to hidden_entries`
    await ctx.repeats.flush()
    await ctx.db`alter table hidden_entries rename to audit_entries`
    expect((await reads())[0]?.count).toBe(1)
    await ctx.repeats.flush()
    expect((await reads())[0]?.count).toBe(2)
  })

  test('is still counted after the entry is no longer found by its key', async () => {
    await secrets('POST', [sealedSecret('ONE')])
    await secrets('GET')
    await secrets('GET')
    ctx.clock.advance(180)
    await removeExpired(ctx)
    await ctx.repeats.flush()
    expect((await reads())[0]?.count).toBe(2)
  })
})

test('a change of grants never shows an environment without its secrets', async () => {
  const { environments } = await appWith(ctx, `App ${randomUUID()}`, ['One'])
  const id = environments[0]?.id ?? ''
  await grant(ctx, ada.id, environments)
  expect((await secretsOf(client, id)('POST', [sealedSecret('ONE')])).status).toBe(200)
  const reader = await member(ctx, 'developer')
  await grant(ctx, reader.id, environments)
  const theirs = secretsOf(service.as(reader.token), id)
  expect((await theirs('GET')).body).toHaveLength(1)
  expect((await client.put(`/v1/members/${reader.id}/access`, { apps: [] })).status).toBe(200)
  const gone = await theirs('GET')
  expect([gone.status, gone.body.error]).toEqual([404, 'Environment not found.'])
})
