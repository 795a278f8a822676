import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  clientEnvironmentPair,
  clientOpenPhaseToken,
  clientUnwrap,
} from '../../core/keys/published-format.ts'
import { api, type Client } from '../../support/api.ts'
import { appWith, grant, type TestEnvironment } from '../../support/apps.ts'
import { type TestContext, testContext, uniqueName } from '../../support/context.ts'
import {
  type Account,
  member,
  owner,
  type Person,
  phaseToken,
  serviceAccount,
  session,
  user,
} from '../../support/people.ts'
import { countStatements } from '../../support/statements.ts'

const PATH = '/service/secrets/tokens/'

let ctx: TestContext
let service: ReturnType<typeof api>
let ada: Person & { organisationId: string }
let admin: Client
let robot: Account
let shop: { id: string; environments: TestEnvironment[] }

beforeAll(async () => {
  ctx = await testContext()
  service = api(ctx)
  ada = await owner(ctx, 'Engines')
  admin = service.as(ada.token)
  robot = await serviceAccount(ctx, 'service')
  shop = await appWith(ctx, 'Shop', ['Preproduction', 'Staging', 'Production', 'Prod'])
  await grant(ctx, robot.id, shop.environments)
})
afterAll(() => ctx.close())

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
type Shown = any
const namesIn = (body: Shown) =>
  body.apps.map((one: Shown) => [one.name, one.environment_keys.map((key: Shown) => key.environment.name)])
const keysOf = async (bearer: string): Promise<Shown> => {
  const { status, body } = await service.as(bearer).get(PATH)
  expect(status).toBe(200)
  return body
}

describe('what a client is told with its keys', () => {
  test('is all that it reads, for a service account', async () => {
    const { bearer } = await phaseToken(ctx, robot.id)
    const at = '2026-01-01T00:00:00.000Z'
    const body = await keysOf(bearer)
    const { wrapped_key_share, apps, ...rest } = body
    expect(rest).toEqual({
      account_id: robot.id,
      offline_enabled: false,
      organisation: { id: ada.organisationId, name: 'Engines' },
    })
    expect(wrapped_key_share).toMatch(/^[0-9a-f]{208}$/)
    const prod = shop.environments[3] as TestEnvironment
    expect(apps).toHaveLength(1)
    expect(apps[0]).toMatchObject({ id: shop.id, name: 'Shop', encryption: 'SSE' })
    expect(apps[0].environment_keys[0]).toEqual({
      id: prod.id,
      environment: {
        id: prod.id,
        name: 'Prod',
        env_type: 'CUSTOM',
        index: 3,
        created_at: at,
        updated_at: at,
      },
      identity_key: prod.publicKey,
      wrapped_seed: expect.stringMatching(/^ph:v1:/),
      wrapped_salt: expect.stringMatching(/^ph:v1:/),
      paths: null,
      created_at: at,
      updated_at: at,
      deleted_at: null,
      user: null,
      service_account: robot.id,
    })
  })

  test('names a member by its membership', async () => {
    const mel = await member(ctx, 'developer')
    await grant(ctx, mel.id, shop.environments.slice(0, 1))
    const body = await keysOf((await phaseToken(ctx, mel.id)).bearer)
    expect(body.user_id).toBe(mel.id)
    expect(body).not.toHaveProperty('account_id')
    expect(body.apps[0].environment_keys[0]).toMatchObject({ user: mel.id, service_account: null })
  })

  test('leads from the whole token, and from nothing less, to the seeds and salts', async () => {
    const { text, bearer } = await phaseToken(ctx, robot.id)
    const body = await keysOf(bearer)
    const x25519 = clientOpenPhaseToken(text, body.wrapped_key_share)
    const opened = body.apps[0].environment_keys.map((key: Shown) => {
      const seed = clientUnwrap(key.wrapped_seed, x25519)
      expect(Buffer.from(clientEnvironmentPair(seed).publicKey).toString('hex')).toBe(key.identity_key)
      return { id: key.environment.id, seed, salt: clientUnwrap(key.wrapped_salt, x25519) }
    })
    const byId = (environments: { id: string }[]) => environments.toSorted((a, b) => (a.id < b.id ? -1 : 1))
    expect(byId(opened)).toEqual(byId(shop.environments.map(({ id, seed, salt }) => ({ id, seed, salt }))))
    const parts = text.split(':')
    for (const part of [2, 4, 5]) {
      const other = parts.with(part, 'ab'.repeat(32)).join(':')
      if (part === 2) expect(clientOpenPhaseToken(other, body.wrapped_key_share)).toEqual(x25519)
      else
        expect(() => {
          const pair = clientOpenPhaseToken(other, body.wrapped_key_share)
          clientUnwrap(body.apps[0].environment_keys[0].wrapped_seed, pair)
        }).toThrow()
    }
  })

  test('puts an exact name before those that contain it, and apps in the order of their names', async () => {
    const bot = await serviceAccount(ctx, 'service')
    const names = ['bbb', 'Production-EU', 'aaa', 'PROD', 'Preprod', 'ccc', 'Production']
    for (const name of ['zoo', 'Äther', 'Attic'])
      await grant(ctx, bot.id, (await appWith(ctx, name, names)).environments)
    const sorted = ['bbb', 'aaa', 'ccc', 'PROD', 'Preprod', 'Production', 'Production-EU']
    const { bearer } = await phaseToken(ctx, bot.id)
    expect(namesIn(await keysOf(bearer))).toEqual([
      ['Attic', sorted],
      ['zoo', sorted],
      ['Äther', sorted],
    ])
  })

  test('has the type of an environment in capitals, and how its app is encrypted', async () => {
    const { body: made } = await admin.post('/v1/apps', { name: uniqueName('Types') })
    await admin.put(`/v1/apps/${made.id}`, { sse_enabled: false })
    const mine = (await keysOf(ada.token)).apps.find((one: Shown) => one.id === made.id)
    expect(mine.encryption).toBe('E2E')
    expect(mine.environment_keys.map((key: Shown) => key.environment.env_type)).toEqual([
      'STAGING',
      'PROD',
      'DEV',
    ])
    await admin.put(`/v1/apps/${made.id}`, { sse_enabled: true })
    const later = (await keysOf(ada.token)).apps.find((one: Shown) => one.id === made.id)
    expect(later.encryption).toBe('SSE')
  })

  test('has no app without an environment that the caller can open, and none of others', async () => {
    const bot = await serviceAccount(ctx, 'service')
    const { environments } = await appWith(ctx, uniqueName('Halves'), ['mine', 'not-mine'])
    const { bearer } = await phaseToken(ctx, bot.id)
    expect(await keysOf(bearer)).toMatchObject({ apps: [] })
    await grant(ctx, bot.id, environments.slice(0, 1))
    expect(namesIn(await keysOf(bearer))).toEqual([[expect.any(String), ['mine']]])
  })

  test('has no key share of another format of token, nor of another token', async () => {
    expect((await keysOf(robot.token)).wrapped_key_share).toBeNull()
    expect((await keysOf(ada.token)).wrapped_key_share).toBeNull()
    expect((await keysOf(await session(ctx, ada.userId))).wrapped_key_share).toBeNull()
    const [one, two] = [await phaseToken(ctx, robot.id), await phaseToken(ctx, robot.id)]
    const shares = [await keysOf(one.bearer), await keysOf(two.bearer)].map((body) => body.wrapped_key_share)
    expect(shares[0]).not.toBe(shares[1])
    expect(clientOpenPhaseToken(one.text, shares[0])).toEqual(clientOpenPhaseToken(two.text, shares[1]))
  })

  test('never holds a seed, a salt, a private key or what the server wraps for itself', async () => {
    const { bearer } = await phaseToken(ctx, robot.id)
    const text = JSON.stringify(await keysOf(bearer))
    for (const { seed, salt } of shop.environments) {
      expect(text).not.toContain(seed)
      expect(text).not.toContain(salt)
    }
    expect(text).not.toContain('kw:1:')
  })
})

describe('when an environment was changed', () => {
  const updatedAt = async (id: string) => {
    const keys = (await keysOf(robot.token)).apps.flatMap((one: Shown) => one.environment_keys)
    return keys.find((key: Shown) => key.environment.id === id).environment.updated_at
  }

  test('is the later of its own change and that of a secret in it', async () => {
    const id = shop.environments[1]?.id ?? ''
    expect(await updatedAt(id)).toBe('2026-01-01T00:00:00.000Z')
    await ctx.db`update environments set secrets_changed_at = '2026-02-03T04:05:06.007Z' where id = ${id}`
    expect(await updatedAt(id)).toBe('2026-02-03T04:05:06.007Z')
    await ctx.db`update environments set updated_at = '2026-02-03T04:05:06.008Z' where id = ${id}`
    expect(await updatedAt(id)).toBe('2026-02-03T04:05:06.008Z')
    await ctx.db`update environments set secrets_changed_at = '2026-02-03T04:05:06.009Z' where id = ${id}`
    expect(await updatedAt(id)).toBe('2026-02-03T04:05:06.009Z')
  })
})

describe('the answer from memory', () => {
  const metric = (result: string) =>
    Number(
      new RegExp(`memory_reads_total{what="answer",result="${result}"} (\\d+)`).exec(ctx.metrics.text())?.[1],
    )

  test('is sent until a secret changes, a copy, a name, the mode, or the token', async () => {
    const bot = await serviceAccount(ctx, 'service')
    const { id, environments } = await appWith(ctx, uniqueName('Kept'), ['one', 'two'])
    await grant(ctx, bot.id, environments.slice(0, 1))
    const { bearer } = await phaseToken(ctx, bot.id)
    const hits = async () => {
      await keysOf(bearer)
      const before = metric('hit')
      await keysOf(bearer)
      return metric('hit') > before
    }
    expect(await hits()).toBe(true)
    let last = JSON.stringify(await keysOf(bearer))
    const changes = [
      () =>
        ctx.db`update environments set secrets_changed_at = now() where id = ${environments[0]?.id ?? ''}`,
      () => grant(ctx, bot.id, environments.slice(1)),
      () => ctx.db`update environment_keys set wrapped_seed = wrapped_salt where principal_id = ${bot.id}`,
      () => ctx.db`delete from environment_keys where environment_id = ${environments[1]?.id ?? ''}`,
      () => ctx.db`update organisations set name = 'Other engines'`,
      () => admin.put(`/v1/apps/${id}`, { sse_enabled: false }),
    ]
    for (const [index, change] of changes.entries()) {
      await change()
      const now = JSON.stringify(await keysOf(bearer))
      expect(now, `change ${index}`).not.toBe(last)
      last = now
    }
    expect((await admin.delete(`/v1/service-accounts/${bot.id}`)).status).toBe(204)
    expect((await service.as(bearer).get(PATH)).status).toBe(401)
  })

  test('is of one token: another one of the same caller has its own share', async () => {
    const [one, two] = [await phaseToken(ctx, robot.id), await phaseToken(ctx, robot.id)]
    const first = (await keysOf(one.bearer)).wrapped_key_share
    expect((await keysOf(two.bearer)).wrapped_key_share).not.toBe(first)
    expect((await keysOf(one.bearer)).wrapped_key_share).toBe(first)
  })
})

describe('whoever asks', () => {
  test('is 401 without a token, and with a revoked, expired or unknown one', async () => {
    const { id, bearer } = await phaseToken(ctx, robot.id)
    const old = await phaseToken(ctx, robot.id)
    await keysOf(bearer)
    await keysOf(old.bearer)
    await admin.delete(`/v1/service-accounts/${robot.id}/tokens/${id}`)
    await ctx.db`update tokens set expires_at = ${ctx.clock.now()} where id = ${old.id}`
    for (const client of [
      service.anonymous,
      service.as(bearer),
      service.as(old.bearer),
      service.as('0'.repeat(64)),
    ]) {
      const { status, body, headers } = await client.get(PATH)
      expect([status, body]).toEqual([401, { error: expect.any(String) }])
      expect(headers.get('www-authenticate')).toBe('Bearer')
    }
  })

  test('is 401 with the word of older service tokens, and whoever’s other word it sends', async () => {
    const { bearer } = await phaseToken(ctx, robot.id)
    const ask = (authorization: string) => service.anonymous.send('GET', PATH, { headers: { authorization } })
    expect((await ask(`Bearer Service ${bearer}`)).status).toBe(401)
    for (const word of ['User', 'ServiceAccount', ''])
      expect((await ask(`Bearer ${word} ${bearer}`)).body.account_id).toBe(robot.id)
  })

  test('is 403 without a membership', async () => {
    const bearer = await session(ctx, await user(ctx))
    expect((await service.as(bearer).get(PATH)).status).toBe(403)
  })

  test('gets it by every alias, and only with GET', async () => {
    const { body } = await service.as(robot.token).get(PATH)
    for (const path of ['/service/public/secrets/tokens/', '/public/secrets/tokens', `/${PATH}`])
      expect(await service.as(robot.token).get(path), path).toMatchObject({ status: 200, body })
    expect((await service.as(robot.token).post(PATH)).status).toBe(405)
  })
})

test('sends one query beside the one that authenticates, however many apps there are, and opens nothing', async () => {
  const bot = await serviceAccount(ctx, 'service')
  for (let n = 0; n < 3; n++)
    await grant(ctx, bot.id, (await appWith(ctx, uniqueName('Many'), ['a', 'b'])).environments)
  const { bearer } = await phaseToken(ctx, bot.id)
  const opening = { wrap: 0, unwrap: 0 }
  const counted = api({
    ...ctx,
    keys: {
      ...ctx.keys,
      wrap: (...input) => {
        opening.wrap++
        return ctx.keys.wrap(...input)
      },
      unwrap: (...input) => {
        opening.unwrap++
        return ctx.keys.unwrap(...input)
      },
    },
  })
  const counting = counted.as(bearer)
  expect(await countStatements(ctx, () => counting.get(PATH))).toBe(2)
  expect((await counting.get('/v1/me/keys')).body.wrappedPrivateKey).toBeNull()
  expect(opening).toEqual({ wrap: 0, unwrap: 0 })
  expect((await counted.as(bot.token).get('/v1/me/keys')).body.wrappedPrivateKey).toStartWith('kt:v1:')
  expect(opening).toEqual({ wrap: 0, unwrap: 1 })
})

test('a read leaves no entry in the audit log, and a refusal one', async () => {
  const entries = async () =>
    (await ctx.db<{ event_type: string }[]>`select event_type from audit_entries order by timestamp, id`).map(
      ({ event_type }) => event_type,
    )
  const before = await entries()
  await keysOf(robot.token)
  expect(await entries()).toEqual(before)
  ctx.clock.advance(61)
  const stranger = await session(ctx, await user(ctx))
  expect((await service.as(stranger).get(PATH)).status).toBe(403)
  expect(await entries()).toEqual([...before, 'key.read_refused'])
})
