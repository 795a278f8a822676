import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import {
  clientIdentity,
  clientOpenPhaseToken,
  clientOpenWithToken,
} from '../../core/keys/published-format.ts'
import { api, type Client } from '../../support/api.ts'
import { appWith, grant } from '../../support/apps.ts'
import { trailAsText } from '../../support/audit-entries.ts'
import { type TestContext, testContext, uniqueName } from '../../support/context.ts'
import { recordedLog } from '../../support/log-recorder.ts'
import {
  type Account,
  member,
  owner,
  type Person,
  roleOf,
  serviceAccount,
  session,
} from '../../support/people.ts'

let ctx: TestContext
let ada: Person
let service: ReturnType<typeof api>
let admin: Client
let signedIn: Client
let robot: Account
let tokens: string

beforeAll(async () => {
  ctx = await testContext()
  service = api(ctx)
  ada = await owner(ctx)
  admin = service.as(ada.token)
  signedIn = service.as(await session(ctx, ada.userId))
  robot = await serviceAccount(ctx, 'service')
  tokens = `/v1/service-accounts/${robot.id}/tokens`
})
afterAll(() => ctx.close())

const bearerOf = (text: string): string => text.split(':')[2] ?? ''
const serviceRole = async () => (await roleOf(ctx, 'service')).id

/** Each way to create a token in Phase's format: the issued token, and whose it is. */
const WAYS = {
  'POST /v1/tokens': async () => ({
    issued: (await signedIn.post('/v1/tokens', { name: 'cli', format: 'phase' })).body,
    principal: ada.id,
    form: /^pss_user:v1(?::[0-9a-f]{64}){4}$/,
  }),
  'POST /v1/service-accounts/:id/tokens': async () => ({
    issued: (await admin.post(tokens, { name: 'ci', format: 'phase' })).body,
    principal: robot.id,
    form: /^pss_service:v2(?::[0-9a-f]{64}){4}$/,
  }),
  'POST /v1/service-accounts': async () => {
    const input = { name: uniqueName('Bot'), role_id: await serviceRole(), token_format: 'phase' }
    const { body } = await admin.post('/v1/service-accounts', input)
    return {
      issued: body.initialToken,
      principal: body.id,
      form: /^pss_service:v2(?::[0-9a-f]{64}){4}$/,
    }
  },
}

describe.each(Object.entries(WAYS))('%s with the format phase', (_, create) => {
  test('gives a token whose bearer authenticates as its principal', async () => {
    const { issued, principal, form } = await create()
    expect(issued.token).toMatch(form)
    expect(issued.format).toBe('phase')
    expect((await service.as(bearerOf(issued.token)).get('/v1/me')).body.id).toBe(principal)
    for (const part of issued.token.split(':').slice(3))
      expect((await service.as(part).get('/v1/me')).status).toBe(401)
    expect((await service.as(issued.token).get('/v1/me')).status).toBe(401)
  })

  test('stores a hash of the bearer and the wrapped share, and nothing else of it', async () => {
    const { issued, principal } = await create()
    const [row] = await ctx.db`select * from tokens where id = ${issued.id}`
    expect(Buffer.from(row?.hash).toString('hex')).toBe(
      createHash('sha256').update(bearerOf(issued.token)).digest('hex'),
    )
    const [held] = await ctx.db`select wrapped_private_key from principals where id = ${principal}`
    const field = { table: 'principals', rowId: principal, field: 'wrapped_private_key' }
    const privateKey = ctx.keys.unwrap('identity-key', held?.wrapped_private_key, field)
    expect(clientOpenPhaseToken(issued.token, row?.wrapped_key_share)).toEqual(
      clientIdentity(privateKey).x25519,
    )
    const [, , bearer, publicKey, share, unwrapKey] = issued.token.split(':')
    const stored = JSON.stringify([
      await ctx.db`select *, encode(hash, 'hex') as hex from tokens`,
      await ctx.db`select * from principals`,
    ])
    const trail = await trailAsText(ctx)
    for (const hidden of [bearer, share, unwrapKey, publicKey]) {
      expect(stored).not.toContain(hidden)
      expect(trail).not.toContain(hidden)
    }
    expect(trail).not.toContain('pss_')
    expect(trail).not.toContain(row?.wrapped_key_share)
  })

  test('gives a bearer that alone opens nothing: no private key, also not from what is remembered', async () => {
    const { issued, principal } = await create()
    const { environments } = await appWith(ctx, uniqueName('App'), ['one'])
    await grant(ctx, principal, environments)
    const client = service.as(bearerOf(issued.token))
    for (let round = 0; round < 2; round++) {
      const { status, body } = await client.get('/v1/me/keys')
      expect([status, body.wrappedPrivateKey]).toEqual([200, null])
      expect(body.environments.map((one: { environmentId: string }) => one.environmentId)).toContain(
        environments[0]?.id,
      )
    }
    const answers = [await client.get('/v1/me/keys'), await client.get('/service/secrets/tokens')]
    for (const answer of answers) expect(JSON.stringify(answer.body)).not.toContain('kt:v1:')
  })
})

describe('the format of a token', () => {
  test('is Keyward’s own unless it is sent', async () => {
    const own = (await signedIn.post('/v1/tokens', { name: 'plain' })).body
    const said = (await signedIn.post('/v1/tokens', { name: 'plain', format: 'keyward' })).body
    const robots = (await admin.post(tokens, { name: 'plain' })).body
    const first = (await admin.post('/v1/service-accounts', { name: 'Plain', role_id: await serviceRole() }))
      .body.initialToken
    for (const issued of [own, said, robots, first]) {
      expect(issued.format).toBe('keyward')
      expect(issued.token).toMatch(/^kw_(pat|sat)_/)
      const keys = (await service.as(issued.token).get('/v1/me/keys')).body
      expect(await clientOpenWithToken(issued.token, keys.wrappedPrivateKey)).toMatch(/^[0-9a-f]{64}$/)
    }
  })

  test('stands in every list, beside no text of a token', async () => {
    const mine = (await signedIn.post('/v1/tokens', { name: 'listed', format: 'phase' })).body
    const its = (await admin.post(tokens, { name: 'listed', format: 'phase' })).body
    const lists = [
      [(await signedIn.get('/v1/tokens')).body.data, mine],
      [(await admin.get(tokens)).body.data, its],
      [(await admin.get(`/v1/service-accounts/${robot.id}`)).body.tokens, its],
    ] as const
    for (const [list, { token: _, ...shown }] of lists) {
      expect(list.find(({ id }: { id: string }) => id === shown.id)).toEqual(shown)
      expect(new Set(list.map(({ format }: { format: string }) => format))).toEqual(
        new Set(['keyward', 'phase']),
      )
      expect(JSON.stringify(list)).not.toContain('pss_')
    }
  })

  test.each([null, 'PHASE', 'pss', '', 1])('is 400 as %j', async (format) => {
    for (const [client, path, body] of [
      [signedIn, '/v1/tokens', { name: 'x', format }],
      [admin, tokens, { name: 'x', format }],
      [admin, '/v1/service-accounts', { name: 'x', role_id: 'x', token_format: format }],
    ] as const)
      expect(await client.post(path, body)).toMatchObject({
        status: 400,
        body: { error: expect.stringMatching(/format must be one of keyward, phase\.$/) },
      })
  })

  test('is no way around who may create one', async () => {
    expect((await admin.post('/v1/tokens', { name: 'x', format: 'phase' })).status).toBe(403)
    const phase = bearerOf((await signedIn.post('/v1/tokens', { name: 'x', format: 'phase' })).body.token)
    expect((await service.as(phase).post('/v1/tokens', { name: 'y', format: 'phase' })).status).toBe(403)
    const mel = await member(ctx, 'developer')
    expect((await service.as(mel.token).post(tokens, { name: 'x', format: 'phase' })).status).toBe(403)
    const phaseRobot = bearerOf((await admin.post(tokens, { name: 'z', format: 'phase' })).body.token)
    expect((await service.as(phaseRobot).get('/v1/tokens')).status).toBe(403)
  })
})

describe('a token in Phase’s format', () => {
  test('expires, is revoked and counts its last use as every other one', async () => {
    const made = (await admin.post(tokens, { name: 'short', format: 'phase', expires_in: 60 })).body
    const client = service.as(bearerOf(made.token))
    ctx.clock.advance(59)
    expect((await client.get('/v1/me')).status).toBe(200)
    ctx.clock.advance(1)
    expect((await client.get('/v1/me')).status).toBe(401)
    const { body: other } = await admin.post(tokens, { name: 'gone', format: 'phase' })
    const gone = service.as(bearerOf(other.token))
    expect((await gone.get('/v1/me')).status).toBe(200)
    expect((await admin.delete(`${tokens}/${other.id}`)).status).toBe(204)
    expect((await gone.get('/v1/me')).status).toBe(401)
    expect((await gone.get('/service/secrets/tokens')).status).toBe(401)
  })

  test('counts for the limit of live tokens, and two at once pass none of it', async () => {
    const bot = await serviceAccount(ctx, 'service')
    const path = `/v1/service-accounts/${bot.id}/tokens`
    await ctx.db`
      insert into tokens (id, organisation_id, principal_id, name, hash, format, wrapped_key_share, created_at)
      select gen_random_uuid(), organisation_id, id, 'many', sha256(n::text::bytea || uuid_send(id)), 'phase',
        repeat('ab', 104), now()
      from principals, generate_series(1, 98) n where id = ${bot.id}`
    const both = await Promise.all([1, 2, 3].map(() => admin.post(path, { name: 'last', format: 'phase' })))
    expect(both.map(({ status }) => status).sort()).toEqual([201, 409, 409])
  })

  test('is in no log line and in no metric, whoever sends which part of it', async () => {
    const { log, lines } = recordedLog()
    const { body: made } = await admin.post(tokens, { name: 'needle', format: 'phase' })
    const parts: string[] = made.token.split(':').slice(2)
    const { app } = api({ ...ctx, log })
    for (const text of [...parts, made.token, parts.join(':')])
      for (const word of ['', 'User ', 'ServiceAccount ', 'Service '])
        for (const path of ['/service/secrets/tokens/', '/v1/me/keys', '/v1/tokens', '/v1/nothing'])
          await app.handle(
            new Request(`http://localhost${path}`, { headers: { authorization: `Bearer ${word}${text}` } }),
          )
    expect(lines.length).toBeGreaterThan(0)
    const [row] = await ctx.db`select wrapped_key_share from tokens where id = ${made.id}`
    const said = lines.join('\n') + ctx.metrics.text() + (await trailAsText(ctx))
    for (const hidden of [...parts, row?.wrapped_key_share]) expect(said).not.toContain(hidden)
  })

  test('is 401 once its member is removed', async () => {
    const mel = await member(ctx, 'developer')
    const inSession = service.as(await session(ctx, mel.userId))
    const { body } = await inSession.post('/v1/tokens', { name: 'cli', format: 'phase' })
    const client = service.as(bearerOf(body.token))
    expect((await client.get('/service/secrets/tokens')).body.user_id).toBe(mel.id)
    expect((await admin.delete(`/v1/members/${mel.id}`)).status).toBe(204)
    expect((await client.get('/service/secrets/tokens')).status).toBe(401)
  })

  test('goes on after its principal’s role has changed, with the new role', async () => {
    const mel = await member(ctx, 'manager')
    const inSession = service.as(await session(ctx, mel.userId))
    const client = service.as(
      bearerOf((await inSession.post('/v1/tokens', { name: 'cli', format: 'phase' })).body.token),
    )
    expect((await client.get('/v1/service-accounts')).status).toBe(200)
    await admin.put(`/v1/members/${mel.id}`, { role_id: (await roleOf(ctx, 'developer')).id })
    expect((await client.get('/v1/service-accounts')).status).toBe(403)
  })
})

describe('the database', () => {
  const put = (values: Record<string, unknown>) =>
    ctx.db`update tokens set ${ctx.db(values)} where principal_id = ${robot.id}`
  test.each([
    [{ format: 'phase', wrapped_key_share: null }, 'tokens_wrapped_key_share'],
    [{ format: 'keyward', wrapped_key_share: 'ab'.repeat(104) }, 'tokens_wrapped_key_share'],
    [{ format: 'phase', wrapped_key_share: 'AB'.repeat(104) }, 'tokens_wrapped_key_share_form'],
    [{ format: 'phase', wrapped_key_share: 'ab' }, 'tokens_wrapped_key_share_form'],
    [{ format: 'other', wrapped_key_share: null }, 'tokens_format'],
  ])('refuses %j', async (values, constraint_name) => {
    await expect(put(values).execute()).rejects.toMatchObject({ constraint_name })
  })

  test('takes what a program writes that knows of no formats', async () => {
    await ctx.db`
      insert into tokens (id, organisation_id, principal_id, name, hash, created_at)
      select gen_random_uuid(), organisation_id, id, 'before', sha256('before'), now() from principals
      where id = ${robot.id}`
    const [row] = await ctx.db`select format, wrapped_key_share from tokens where name = 'before'`
    expect(row).toEqual({ format: 'keyward', wrapped_key_share: null })
  })
})
