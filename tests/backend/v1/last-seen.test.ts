import { afterAll, beforeAll, expect, test } from 'bun:test'
import { api, type Client } from '../../support/api.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { eventually } from '../../support/eventually.ts'
import { member, owner, type Person, serviceAccount, session, token, user } from '../../support/people.ts'

let ctx: TestContext
let ada: Person
let service: ReturnType<typeof api>
let replica: ReturnType<typeof api>
let admin: Client

beforeAll(async () => {
  ctx = await testContext()
  service = api(ctx)
  replica = api(ctx)
  ada = await owner(ctx)
  admin = service.as(ada.token)
})
afterAll(() => ctx.close())

const lastSeen = async ({ id }: Person): Promise<string | null> =>
  (await admin.get('/v1/members')).body.data.find((listed: { id: string }) => listed.id === id).lastSeenAt

const now = () => ctx.clock.now().toISOString()

const isSeen = (person: Person) =>
  eventually('the member is seen', async () => (await lastSeen(person)) === now())

const version = async () => (await ctx.db`select version from state_version`)[0]?.version

test('a member was never seen before its first request', async () => {
  ctx.clock.advance(1)
  const grace = await member(ctx, 'developer')
  expect(await lastSeen(grace)).toBeNull()
  expect((await service.as(grace.token).get('/v1/me')).status).toBe(200)
  await isSeen(grace)
  const [listed] = (await admin.get('/v1/members?sort=-created_at&limit=1')).body.data
  expect(listed).toMatchObject({ id: grace.id, lastSeenAt: now() })
})

test('a session is seen with each use, not only when it gives another token', async () => {
  const grace = await member(ctx, 'developer')
  const client = service.as(await session(ctx, grace.userId))
  for (let n = 0; n < 3; n++) {
    ctx.clock.advance(61)
    expect((await client.get('/v1/me')).status).toBe(200)
    await isSeen(grace)
  }
})

test('is written once a minute, whatever is used and wherever, and renews no version of the state', async () => {
  const grace = await member(ctx, 'developer')
  const clients = [
    service.as(grace.token),
    replica.as(await token(ctx, grace.id, 'pat')),
    service.as(await session(ctx, grace.userId)),
  ]
  const [first] = clients
  await first?.get('/v1/me')
  await isSeen(grace)
  const seen = now()
  const before = await version()
  ctx.clock.advance(30)
  for (const client of clients) expect((await client.get('/v1/me')).status).toBe(200)
  await Bun.sleep(30)
  expect(await lastSeen(grace)).toBe(seen)
  ctx.clock.advance(31)
  await Promise.all(clients.map((client) => client.get('/v1/me')))
  await isSeen(grace)
  expect(await version()).toBe(before)
})

test('no list shows an older use from memory', async () => {
  const grace = await member(ctx, 'developer')
  const first = await admin.get('/v1/members')
  await service.as(grace.token).get('/v1/me')
  await isSeen(grace)
  const changed = await admin.get('/v1/members')
  expect(changed.headers.get('etag')).not.toBe(first.headers.get('etag'))
  expect(changed.body.data.at(-1).lastSeenAt).toBe(now())
})

test.each(['', '/access'])(
  'a member%s shows no use, so that its ETag stays until somebody changes it',
  async (part) => {
    const grace = await member(ctx, 'developer')
    const path = `/v1/members/${grace.id}${part}`
    const before = await admin.get(path)
    expect(before.body).not.toHaveProperty('lastSeenAt')
    await service.as(grace.token).get('/v1/me')
    await isSeen(grace)
    expect((await admin.get(path)).headers.get('etag')).toBe(before.headers.get('etag'))
  },
)

test('what is refused is not seen, and neither is who is no member', async () => {
  const grace = await member(ctx, 'developer')
  await ctx.db`update tokens set expires_at = ${ctx.clock.now()} where principal_id = ${grace.id}`
  expect((await service.as(grace.token).get('/v1/me')).status).toBe(401)
  const robot = await serviceAccount(ctx, 'service')
  expect((await service.as(robot.token).get('/v1/me')).status).toBe(200)
  const stranger = await session(ctx, await user(ctx))
  expect((await service.as(stranger).get('/v1/me')).status).toBe(200)
  await Bun.sleep(30)
  expect(await lastSeen(grace)).toBeNull()
})
