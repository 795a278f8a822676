import { afterEach, beforeEach, expect, test } from 'bun:test'
import { api } from '../../support/api.ts'
import { entriesAbout } from '../../support/audit-entries.ts'
import { type TestContext, testConfig, testContext } from '../../support/context.ts'
import { login, register, signIn } from '../../support/sign-in.ts'

let ctx: TestContext
let service: ReturnType<typeof api>

beforeEach(async () => {
  ctx = await testContext({ RATE_LIMIT_AUTH: 'off' })
  service = api(ctx)
})
afterEach(() => ctx.close())

const configured = (environment: Record<string, string>) => api({ ...ctx, config: testConfig(environment) })
const setupRequired = async () => (await service.anonymous.get('/service/auth/methods/')).body.setupRequired

test('the first account founds the organisation and is its Owner, and then the next does not', async () => {
  expect(await setupRequired()).toBe(true)
  const email = 'Ada@Example.org'
  const { status, body } = await register(service, { email, full_name: 'Ada Example' })
  expect(body).toEqual({
    user: { id: expect.any(String), email, username: email, fullName: 'Ada Example' },
    member: {
      id: expect.any(String),
      username: email,
      fullName: 'Ada Example',
      email,
      role: { id: expect.any(String), name: 'Owner' },
      createdAt: '2026-01-01T00:00:00.000Z',
      updatedAt: '2026-01-01T00:00:00.000Z',
    },
    organisation: { id: expect.any(String), name: 'My organisation', plan: 'enterprise' },
    verificationRequired: false,
  })
  expect(status).toBe(201)
  expect(await setupRequired()).toBe(false)

  const { token } = await signIn(service, 'ada@example.org')
  expect((await service.as(token).get('/v1/roles')).body.data).toHaveLength(5)
  const { member, user, organisation } = (await login(service, email)).body
  expect({ user, member, organisation, verificationRequired: false }).toEqual(body)
  expect(await entriesAbout(ctx, organisation.id)).toEqual([
    expect.objectContaining({ event_type: 'organisation.created', actor_id: member.id }),
  ])
  expect(await entriesAbout(ctx, user.id)).toContainEqual(
    expect.objectContaining({ event_type: 'user.registered', actor_id: member.id }),
  )
  expect((await register(service, { organisation_name: 'Another' })).body.organisation).toBeNull()
})

test('it is active at once where mail can be sent, and names the organisation', async () => {
  const mailing = configured({ SMTP_HOST: 'mail.example.org', SMTP_FROM: 'keyward@example.org' })
  const { body } = await register(mailing, {
    email: 'ada@example.org',
    organisation_name: ' Analytical Engines ',
  })
  expect(body.organisation.name).toBe('Analytical Engines')
  expect(body.verificationRequired).toBe(false)
  expect((await login(mailing, 'ada@example.org')).status).toBe(200)
})

test('it needs the setup token where one is set, and leaves nothing behind without it', async () => {
  const guarded = configured({ SETUP_TOKEN: 'open sesame', REGISTRATION: 'invite' })
  const isAsked = async () =>
    (await guarded.anonymous.get('/service/auth/methods/')).body.setupTokenRequired as boolean
  expect(await isAsked()).toBe(true)
  for (const body of [{}, { setup_token: 'open' }, { setup_token: 'Open sesame' }]) {
    const { status, body: answer } = await register(guarded, { email: 'ada@example.org', ...body })
    expect(status).toBe(403)
    expect(answer.error).not.toContain('sesame')
  }
  expect(await setupRequired()).toBe(true)
  const right = { email: 'ada@example.org', setup_token: 'open sesame' }
  expect((await register(guarded, right)).body.member.role.name).toBe('Owner')
  expect(await isAsked()).toBe(false)
  expect((await register(guarded, { setup_token: 'open sesame' })).status).toBe(403)
})

test('an invite that nobody sent founds nothing', async () => {
  expect((await register(service, { invite: 'junk' })).status).toBe(404)
  expect(await setupRequired()).toBe(true)
})

test('of many first registrations at the same moment exactly one founds the organisation', async () => {
  const replicas = [service, api(ctx)]
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, i) =>
      register(replicas[i % 2] ?? service, { organisation_name: `Org ${i}` }),
    ),
  )
  expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(201))
  const founders = answers.filter(({ body }) => body.member !== null)
  expect(founders).toHaveLength(1)
  expect(founders[0]?.body.member.role.name).toBe('Owner')
  expect(await ctx.db`select 1 from organisations`).toHaveLength(1)
})

test('whoever loses that race where registration is by invite gets no account', async () => {
  const closed = [configured({ REGISTRATION: 'invite' }), configured({ REGISTRATION: 'invite' })]
  const answers = await Promise.all(closed.map((replica) => register(replica)))
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 403])
  expect(await ctx.db`select 1 from users`).toHaveLength(1)
})

test('one address registered first twice at the same moment is one account and its Owner', async () => {
  const answers = await Promise.all(
    [service, api(ctx)].map((replica) => register(replica, { email: 'ada@example.org' })),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409])
  expect(answers.find(({ status }) => status === 201)?.body.member.role.name).toBe('Owner')
})
