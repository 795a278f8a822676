// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references are written like that.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { environmentKeyPair } from '../../../src/core/keys/environment-keys.ts'
import { identityKeyToX25519Public, identityKeyToX25519Secret } from '../../../src/core/keys/identity-keys.ts'
import { keyDigester } from '../../../src/core/keys/key-digest.ts'
import { decapsulate } from '../../../src/core/keys/unwrapping.ts'
import {
  encapsulate,
  recipientOf,
  unwrapWithSecretKey,
  wrapForPublicKey,
} from '../../../src/core/keys/wrapping.ts'
import { privateKeyField } from '../../../src/core/principals/principals.ts'
import { api, type Client } from '../../support/api.ts'
import { app, type TestApp } from '../../support/apps.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { member, owner, type Person } from '../../support/people.ts'
import { raceFor } from '../../support/races.ts'
import { digestOf, secretsOf } from '../../support/secrets.ts'

let ctx: TestContext
let service: ReturnType<typeof api>
let ada: Person
let bob: Person
let client: Client
let shop: TestApp
let environmentId: string
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
  environmentId = shop.environments[1]?.id ?? ''
  place = `/v1/secrets/?app_id=${shop.id}&env=production`
})
afterAll(() => ctx.close())

const rekey = (to: Pick<Client, 'post'> = client) => to.post(`/v1/environments/${environmentId}/rekey`)

/** The environment's seed and salt, from the principal's own copy, as its client opens them. */
async function copyOf(principalId: string): Promise<{ seed: string; salt: string }> {
  const [row] = await ctx.db`
    select p.identity_key, p.wrapped_private_key, k.wrapped_seed, k.wrapped_salt
    from environment_keys k join principals p on p.id = k.principal_id
    where k.principal_id = ${principalId} and k.environment_id = ${environmentId}`
  const privateKey = ctx.keys.unwrap('identity-key', row?.wrapped_private_key, privateKeyField(principalId))
  const open = (wrapped: string) =>
    unwrapWithSecretKey(
      wrapped,
      identityKeyToX25519Public(row?.identity_key),
      identityKeyToX25519Secret(privateKey),
    )
  return { seed: open(row?.wrapped_seed), salt: open(row?.wrapped_salt) }
}

const everySealedText = async (): Promise<string[]> =>
  (
    await ctx.db<{ text: string }[]>`
      select unnest(array[key, value, comment]) as text from secrets where environment_id = ${environmentId}
      union all select unnest(array[key, value, comment]) from secret_versions where environment_id = ${environmentId}
      union all select value from secret_overrides where environment_id = ${environmentId}`
  ).flatMap(({ text }) => (text === '' ? [] : [text]))

const openableWith = (seed: string, texts: readonly string[]): number => {
  const { publicKey, secretKey } = environmentKeyPair(seed)
  return texts.filter((text) => {
    try {
      unwrapWithSecretKey(text, publicKey, secretKey)
      return true
    } catch {
      return false
    }
  }).length
}

/** The bytes, as hex, of the texts that a seed opens. */
function bytesIn(seed: string, texts: readonly string[]): string[] {
  const { publicKey, secretKey } = environmentKeyPair(seed)
  using decapsulation = decapsulate(publicKey, secretKey)
  return texts.flatMap((text) => {
    try {
      return [Buffer.from(decapsulation.unwrapBytes(text)).toString('hex')]
    } catch {
      return []
    }
  })
}

describe('POST /v1/environments/:id/rekey', () => {
  test('seals everything again: the old keys open nothing, the new copies of everybody open all', async () => {
    const {
      body: [one, two],
    } = await client.post(place, {
      secrets: [
        { key: 'ONE', value: '1', comment: 'c', tags: ['t'], override: { value: 'mine' } },
        { key: 'TWO', value: '2' },
      ],
    })
    await client.put(place, { secrets: [{ id: one.id, value: 'one' }] })
    await client.send('DELETE', place, { body: JSON.stringify({ secrets: [two.id] }) })
    const before = await copyOf(ada.id)
    const old = await client.get(place)
    const texts = await everySealedText()
    expect(openableWith(before.seed, texts)).toBe(texts.length)
    const environment = await client.get(`/v1/environments/${environmentId}`)

    expect(await rekey()).toMatchObject({ status: 200, body: environment.body })

    const after = await copyOf(ada.id)
    expect(await copyOf(bob.id)).toEqual(after)
    expect([after.seed === before.seed, after.salt === before.salt]).toEqual([false, false])
    const again = await everySealedText()
    expect(again).toHaveLength(texts.length)
    expect(openableWith(before.seed, again)).toBe(0)
    expect(openableWith(after.seed, again)).toBe(texts.length)
    const [shown] = (await client.get(place)).body
    expect(shown).toEqual({ ...old.body[0], keyDigest: shown.keyDigest })
    expect(shown.keyDigest).not.toBe(old.body[0].keyDigest)
    expect((await client.get(`${place}&key=ONE`)).body).toHaveLength(1)
    // The newest version is what there is, and a deleted secret comes back.
    expect((await client.unrecorded.post(`/v1/secrets/${one.id}/restore`, { version: 2 })).body.version).toBe(
      2,
    )
    await client.post(`/v1/secrets/${one.id}/restore`, { version: 1 })
    await client.post(`/v1/secrets/${two.id}/restore`, { version: 1 })
    expect((await client.get(place)).body.map(({ value }: { value: string }) => value).sort()).toEqual([
      '1',
      '2',
    ])
  })

  test('renews the version of the state, the operator’s sign of a change, and leaves an entry without names', async () => {
    await client.post(place, { secrets: [{ key: 'NEEDLE', value: 'needle' }] })
    const changedAt = async () => {
      const [row] = await ctx.db<{ at: Date }[]>`
        select secrets_changed_at as at from environments where id = ${environmentId}`
      return row?.at.getTime() ?? 0
    }
    const before = await changedAt()
    await rekey()
    expect(await changedAt()).toBeGreaterThan(before)
    const [entry] = await ctx.db`
      select new_values from audit_entries
      where event_type = 'environment.keys_renewed' and environment_id = ${environmentId}`
    expect(entry).toMatchObject({ new_values: { secrets: 1 } })
  })

  test('seals values again that are not UTF-8 text', async () => {
    const before = await copyOf(ada.id)
    const latin1 = Buffer.from('caf\xe9', 'latin1')
    using sealing = encapsulate(recipientOf(Buffer.from((await publicKey()) ?? '', 'hex')))
    const [key, value, comment] = [latin1, latin1, latin1].map((bytes) => sealing.wrap(bytes))
    const keyDigest = keyDigester(before.salt)(latin1)
    const secrets = secretsOf(client, environmentId)
    expect((await secrets('POST', [{ key, keyDigest, value, comment }])).status).toBe(200)
    const [{ id }] = (await secrets('GET')).body
    expect((await client.put(`/v1/secrets/${id}/override`, { value })).status).toBe(200)
    expect((await rekey()).status).toBe(200)
    const after = await copyOf(ada.id)
    expect(bytesIn(before.seed, await everySealedText())).toEqual([])
    const opened = bytesIn(after.seed, await everySealedText())
    expect(opened).toHaveLength(7)
    expect(new Set(opened)).toEqual(new Set([latin1.toString('hex')]))
    expect(await ctx.db`select encode(key_digest, 'hex') as digest from secrets where id = ${id}`).toEqual([
      { digest: keyDigester(after.salt)(latin1) },
    ] as never)
  })

  test('leaves alone what can’t be opened, and it is opened again once it is replaced', async () => {
    const sealedFor = Buffer.from((await publicKey()) ?? '', 'hex')
    await secretsOf(client, environmentId)('POST', [
      {
        key: wrapForPublicKey('BAD', sealedFor),
        keyDigest: digestOf('BAD'),
        value: `ph:v1:${'1'.repeat(64)}:${Buffer.alloc(50).toString('base64')}`,
      },
    ])
    const listed = await client.get(place)
    expect(listed.status).toBe(409)
    expect(listed.body.error).toMatch(
      /^The secret [0-9a-f-]{36} was not sealed for the keys of its environment/,
    )
    expect((await rekey()).status).toBe(200)
    expect((await client.get(place)).status).toBe(409)
    const [{ id }] = (await secretsOf(client, environmentId)('GET')).body
    expect((await client.put(place, { secrets: [{ id, comment: 'c' }] })).status).toBe(409)
    expect((await client.put(place, { secrets: [{ id, value: 'good' }] })).status).toBe(200)
    expect((await client.get(place)).body).toMatchObject([{ key: 'BAD', value: 'good' }])
    const value = `ph:v1:${'1'.repeat(64)}:${Buffer.alloc(50).toString('base64')}`
    expect((await client.put(`/v1/secrets/${id}/override`, { value, is_active: true })).status).toBe(200)
    expect((await client.get(place)).body.error).toStartWith(
      `Your override of the secret ${id} was not sealed`,
    )
    expect((await client.put(place, { secrets: [{ id, tags: ['x'] }] })).body.error).toStartWith(
      'Your override',
    )
    expect((await client.delete(`/v1/secrets/${id}/override`)).status).toBe(200)
  })

  test('is 400 without server-side encryption, and 404 for whoever can’t open the environment', async () => {
    const developer = await member(ctx, 'developer')
    expect((await rekey(service.as(developer.token))).status).toBe(404)
    await client.put(`/v1/apps/${shop.id}`, { sse_enabled: false })
    expect(await rekey()).toMatchObject({
      status: 400,
      body: { error: 'Server-side encryption is off for this app.' },
    })
  })
})

const publicKey = async (): Promise<string | undefined> =>
  (await ctx.db<{ public_key: string }[]>`select public_key from environments where id = ${environmentId}`)[0]
    ?.public_key

describe('renewing keys at the same time as', () => {
  /** Several rounds of renewals beside other work; gives the statuses of the other work. */
  const beside = async (work: (round: number) => Promise<{ status: number }>): Promise<Set<number>> => {
    const statuses = new Set<number>()
    for (let round = 0; round < 8; round++) {
      ctx.clock.advance(3600)
      const [renewed, ...others] = await Promise.all([
        rekey(),
        work(round),
        work(round + 100),
        work(round + 200),
      ])
      expect(renewed.status).toBe(200)
      for (const { status } of others) statuses.add(status)
    }
    return statuses
  }

  test('writes: each is stored under the present keys, and can be read', async () => {
    const statuses = await beside((round) =>
      client.post(place, {
        secrets: [{ key: `KEY_${round}`, value: `value ${round}`, override: { value: 'o' } }],
      }),
    )
    expect([...statuses].filter((status) => status !== 200 && status !== 409)).toEqual([])
    const { status, body } = await client.get(place)
    expect(status).toBe(200)
    const values = body.map(({ key, value }: { key: string; value: string }) => `${key}=${value}`)
    for (const one of values) expect(one).toMatch(/^KEY_(\d+)=value \1$/)
    const { seed } = await copyOf(ada.id)
    const texts = await everySealedText()
    expect(openableWith(seed, texts)).toBe(texts.length)
  })

  test('a client’s write that waits for it: it is refused, because nobody could open what it stored', async () => {
    const sealedFor = Buffer.from((await publicKey()) ?? '', 'hex')
    const secret = {
      key: wrapForPublicKey('A', sealedFor),
      keyDigest: digestOf('A'),
      value: wrapForPublicKey('v', sealedFor),
    }
    const [late] = await raceFor<{ status: number; body: { error?: string } }>(
      ctx.db,
      async (tx) => {
        await tx`select 1 from environments where id = ${environmentId} for no key update`
        await tx`update environments set public_key = ${'0'.repeat(64)} where id = ${environmentId}`
      },
      () => secretsOf(client, environmentId)('POST', [secret]),
    )
    expect(late?.status).toBe(409)
    expect(late?.body.error).toMatch(/^The keys of the environment have just been renewed/)
  })

  test('reads: each gives all secrets', async () => {
    const secrets = Array.from({ length: 40 }, (_, index) => ({
      key: `KEY_${index}`,
      value: `\${KEY_${index + 1}}`,
    }))
    await client.post(place, { secrets })
    const statuses = await beside(async () => {
      const answer = await client.get(place)
      if (answer.status === 200) expect(answer.body).toHaveLength(40)
      return answer
    })
    expect([...statuses].filter((status) => status !== 200 && status !== 409)).toEqual([])
    expect(statuses.has(200)).toBe(true)
  })

  test('grants and revocations: whoever has access in the end has the present keys', async () => {
    const developer = await member(ctx, 'developer')
    const set = (environments: string[]) =>
      client.put(`/v1/members/${developer.id}/access`, {
        apps: environments.length === 0 ? [] : [{ id: shop.id, environments }],
      })
    for (let round = 0; round < 8; round++) {
      ctx.clock.advance(3600)
      const [renewed, granted] = await Promise.all([rekey(), set([environmentId])])
      expect([renewed.status, granted.status]).toEqual([200, 200])
      expect(await copyOf(developer.id)).toEqual(await copyOf(ada.id))
      const [, revoked] = await Promise.all([rekey(), set([])])
      expect(revoked.status).toBe(200)
    }
  })
})

test('references to an environment are resolved also while its keys are renewed', async () => {
  await client.post(place, { secrets: [{ key: 'PASS', value: 'right' }] })
  const elsewhere = `/v1/secrets/?app_id=${shop.id}&env=development`
  await client.post(elsewhere, { secrets: [{ key: 'P', value: '${production.PASS}' }] })
  const path = `${elsewhere}&raw=false`
  const found = new Set<string>()
  for (let round = 0; round < 18; round++) {
    if (round % 6 === 0) ctx.clock.advance(3600)
    let isDone = false
    const read = async () => {
      while (!isDone) {
        const { status, body } = await client.get(path)
        found.add(status === 200 ? body[0].value : String(status))
      }
    }
    const reading = Promise.all([read(), read(), read(), read()])
    expect((await rekey()).status).toBe(200)
    isDone = true
    await reading
  }
  expect([...found]).toEqual(['right'])
})
