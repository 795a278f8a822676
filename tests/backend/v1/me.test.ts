import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { DEFAULT_ROLES } from '../../../src/core/permissions.ts'
import {
  clientEnvironmentPair,
  clientIdentity,
  clientOpenWithToken,
  clientUnwrap,
} from '../../core/keys/published-format.ts'
import { api } from '../../support/api.ts'
import { appWith, grant, type TestEnvironment } from '../../support/apps.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import {
  member,
  owner,
  type Person,
  roleOf,
  serviceAccount,
  session,
  token,
  user,
} from '../../support/people.ts'
import { countStatements } from '../../support/statements.ts'

let ctx: TestContext
let ada: Person & { organisationId: string }
let service: ReturnType<typeof api>

beforeAll(async () => {
  ctx = await testContext()
  service = api(ctx)
  ada = await owner(ctx, 'Analytical Engines')
})
afterAll(() => ctx.close())

describe('GET /v1/me', () => {
  test('shows a member with its role and organisation, by token and by session alike', async () => {
    const { status, body } = await service.as(ada.token).get('/v1/me/')
    const [definition] = DEFAULT_ROLES
    expect(body).toEqual({
      type: 'user',
      id: ada.id,
      userId: ada.userId,
      name: 'Ada Example',
      email: expect.stringMatching(/@example\.org$/),
      role: {
        id: (await roleOf(ctx, 'owner')).id,
        name: 'Owner',
        description: null,
        color: '',
        isDefault: true,
        createdAt: '2026-01-01T00:00:00.000Z',
        permissions: { ...definition?.permissions, globalAccess: true },
      },
      organisation: { id: ada.organisationId, name: 'Analytical Engines', plan: 'enterprise' },
    })
    expect(status).toBe(200)
    const signedIn = await service.as(await session(ctx, ada.userId)).get('/v1/me')
    expect(signedIn.body).toEqual(body)
  })

  test('shows a service account, which has neither user nor e-mail address', async () => {
    const robot = await serviceAccount(ctx, 'service')
    const { body } = await service.as(robot.token).get('/v1/me')
    expect(body).toMatchObject({
      type: 'service_account',
      id: robot.id,
      userId: null,
      name: 'Robot',
      email: null,
      role: { name: 'Service', permissions: { globalAccess: false } },
      organisation: { id: ada.organisationId },
    })
  })

  test('shows a user without a membership by its user id, in one query', async () => {
    const userId = await user(ctx, 'loner@example.org')
    const client = service.as(await session(ctx, userId))
    const { status, body } = await client.get('/v1/me')
    expect(body).toEqual({
      type: 'user',
      id: userId,
      userId,
      name: 'Ada Example',
      email: 'loner@example.org',
      role: null,
      organisation: null,
    })
    expect(status).toBe(200)
    expect(await countStatements(ctx, () => client.get('/v1/me'))).toBe(1)
  })

  test("names the deployment's plan, and a custom role as it is stored", async () => {
    const permissions = { permissions: { Apps: ['read'] }, app_permissions: {} }
    const input = { name: 'Reader', description: 'Looks', color: '#abc', permissions }
    const { body: role } = await service.as(ada.token).post('/v1/roles', input)
    const reader = await member(ctx, { id: role.id })
    const free = api({ ...ctx, config: { ...ctx.config, plan: 'free' } })
    const { body } = await free.as(reader.token).get('/v1/me')
    expect(body.role).toEqual(role)
    expect(body.organisation.plan).toBe('free')
  })

  test('accepts the header forms of existing clients and answers under their paths', async () => {
    for (const authorization of [`Bearer User ${ada.token}`, `bearer ServiceAccount ${ada.token}`]) {
      const answer = await service.anonymous.send('GET', '/service/v1/me/', { headers: { authorization } })
      expect(answer.body.id).toBe(ada.id)
    }
  })

  test('is 401 without credentials, with a typo, with a revoked token and once removed', async () => {
    expect((await service.anonymous.get('/v1/me')).status).toBe(401)
    expect(await service.as(`${ada.token.slice(0, -1)}!`).get('/v1/me')).toMatchObject({
      status: 401,
      body: { error: 'Invalid token' },
    })
    const robot = await serviceAccount(ctx, 'service')
    await ctx.db`delete from principals where id = ${robot.id}`
    expect(await service.as(robot.token).get('/v1/me')).toMatchObject({
      status: 401,
      body: { error: 'Token expired or deleted' },
    })
  })
})

describe('GET /v1/me/keys', () => {
  let staging: TestEnvironment
  let production: TestEnvironment
  let first: TestEnvironment

  beforeAll(async () => {
    const zoo = await appWith(ctx, 'zoo', ['Staging', 'Production', 'Secret'])
    const api = await appWith(ctx, 'API', ['Only'])
    ;[staging, production] = zoo.environments as [TestEnvironment, TestEnvironment]
    ;[first] = api.environments as [TestEnvironment]
  })

  /** What a client does that holds nothing but its token. */
  async function openWith(bearer: string) {
    const { status, body, headers } = await service.as(bearer).get('/v1/me/keys')
    expect(status).toBe(200)
    expect(headers.get('cache-control')).toBe('no-store')
    const identity = clientIdentity(await clientOpenWithToken(bearer, body.wrappedPrivateKey))
    expect(identity.identityPublicKey).toBe(body.identityKey)
    const environments: Record<string, string>[] = body.environments
    return environments.map(({ environmentId, appId, publicKey, wrappedSeed = '', wrappedSalt = '' }) => {
      const seed = clientUnwrap(wrappedSeed, identity.x25519)
      const pair = clientEnvironmentPair(seed)
      expect(Buffer.from(pair.publicKey).toString('hex')).toBe(publicKey as string)
      return { id: environmentId, appId, seed, salt: clientUnwrap(wrappedSalt, identity.x25519) }
    })
  }
  const opened = ({ id, appId, seed, salt }: TestEnvironment) => ({ id, appId, seed, salt })

  test.each(['access token', 'sign-in session', 'service account token'])(
    "leads from nothing but a %s to the seeds of the caller's environments, apps by name, environments by index",
    async (kind) => {
      const mel = kind === 'service account token' ? null : await member(ctx, 'developer')
      const holder = mel ?? (await serviceAccount(ctx, 'service'))
      await grant(ctx, holder.id, [production, staging, first])
      const bearer =
        mel !== null && kind === 'sign-in session' ? await session(ctx, mel.userId) : holder.token
      expect(await openWith(bearer)).toEqual([first, staging, production].map(opened))
    },
  )

  test('wraps the private key anew for each request, for that token alone', async () => {
    const mel = await member(ctx, 'developer')
    const second = await token(ctx, mel.id, 'pat')
    const one = (await service.as(mel.token).get('/v1/me/keys')).body
    const again = (await service.as(mel.token).get('/v1/me/keys')).body
    const other = (await service.as(second).get('/v1/me/keys')).body
    expect(one.environments).toEqual([])
    expect(again.wrappedPrivateKey).not.toBe(one.wrappedPrivateKey)
    await expect(clientOpenWithToken(second, one.wrappedPrivateKey)).rejects.toThrow()
    const opened = await clientOpenWithToken(mel.token, one.wrappedPrivateKey)
    expect(await clientOpenWithToken(mel.token, again.wrappedPrivateKey)).toBe(opened)
    expect(await clientOpenWithToken(second, other.wrappedPrivateKey)).toBe(opened)
    const stored = JSON.stringify(await ctx.db`select * from principals where id = ${mel.id}`)
    expect(stored).not.toContain(opened)
  })

  test('sends one query beside the one that authenticates, however many environments there are', async () => {
    const mel = await member(ctx, 'developer')
    const client = service.as(mel.token)
    expect(await countStatements(ctx, () => client.get('/v1/me/keys'))).toBe(2)
    const names = Array.from({ length: 100 }, (_, index) => `E${index}`)
    const { environments } = await appWith(ctx, 'many', names)
    await grant(ctx, mel.id, environments)
    expect(await countStatements(ctx, () => client.get('/v1/me/keys'))).toBe(2)
    const { body } = await client.get('/v1/me/keys')
    expect(body.environments.map((copy: { environmentId: string }) => copy.environmentId)).toEqual(
      environments.map(({ id }) => id),
    )
  })

  test('is 401 without credentials and 403 for a user without a membership', async () => {
    expect((await service.anonymous.get('/v1/me/keys')).status).toBe(401)
    const bearer = await session(ctx, await user(ctx))
    expect(await service.as(bearer).get('/v1/me/keys')).toMatchObject({
      status: 403,
      body: { error: 'You are not a member of an organisation.' },
    })
  })
})
