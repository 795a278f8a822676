import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { MOST_EXPIRED_TOKENS } from '../../../src/core/tokens/token.ts'
import { api } from '../../support/api.ts'
import { entriesAbout } from '../../support/audit-entries.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { member, owner, type Person, serviceAccount, session } from '../../support/people.ts'
import { addTokens } from '../../support/tokens.ts'

let ctx: TestContext
let service: ReturnType<typeof api>
let ada: Person

beforeAll(async () => {
  ctx = await testContext()
  service = api(ctx)
  ada = await owner(ctx)
})
afterAll(() => ctx.close())

const namesOf = async (principalId: string) =>
  (await ctx.db`select name from tokens where principal_id = ${principalId} order by created_at, id`).map(
    ({ name }) => name,
  )
const count = (names: string[], name: string) => names.filter((other) => other === name).length

/** Gives a principal live and expired tokens, of which 150 and then 99 are the last that were created. */
async function fill(principalId: string) {
  await addTokens(ctx, principalId, 3, { name: 'live', createdAgo: 90, expiresIn: 600 })
  await addTokens(ctx, principalId, 150, { name: 'older', createdAgo: 60, expiresIn: -1 })
  await addTokens(ctx, principalId, MOST_EXPIRED_TOKENS - 1, { name: 'newer', createdAgo: 30, expiresIn: -2 })
}

describe('a new token deletes all expired ones but the newest 100', () => {
  test('of a member, and of nobody else', async () => {
    const [mel, other] = [await member(ctx, 'developer'), await member(ctx, 'developer')]
    await fill(mel.id)
    await fill(other.id)
    const client = service.as(await session(ctx, mel.userId))
    expect((await client.post('/v1/tokens', { name: 'new' })).status).toBe(201)
    const names = await namesOf(mel.id)
    expect([count(names, 'newer'), count(names, 'older')]).toEqual([MOST_EXPIRED_TOKENS - 1, 1])
    expect([count(names, 'live'), count(names, 'new')]).toEqual([3, 1])
    expect(count(await namesOf(other.id), 'older')).toBe(150)
  })

  test('of a service account, which then shows them', async () => {
    const robot = await serviceAccount(ctx, 'service')
    await fill(robot.id)
    const path = `/v1/service-accounts/${robot.id}`
    expect((await service.as(ada.token).post(`${path}/tokens`, { name: 'new' })).status).toBe(201)
    const { tokens } = (await service.as(ada.token).get(path)).body
    const names = tokens.map(({ name }: { name: string }) => name)
    expect([count(names, 'newer'), count(names, 'older')]).toEqual([MOST_EXPIRED_TOKENS - 1, 1])
    expect([count(names, 'live'), count(names, 'new')]).toEqual([3, 1])
  })

  test('and none of them leaves an entry', async () => {
    const robot = await serviceAccount(ctx, 'service')
    await fill(robot.id)
    const entries = async () => (await ctx.db`select 1 from audit_entries`).length
    const before = await entries()
    await service.as(ada.token).post(`/v1/service-accounts/${robot.id}/tokens`, { name: 'new' })
    expect(await entries()).toBe(before + 1)
  })

  test('so tokens that live for a second stay few', async () => {
    const robot = await serviceAccount(ctx, 'service')
    await addTokens(ctx, robot.id, MOST_EXPIRED_TOKENS, { name: 'older', createdAgo: 30, expiresIn: -1 })
    for (let i = 0; i < 5; i++) {
      const body = { name: 'short', expires_in: 1 }
      expect((await service.as(ada.token).post(`/v1/service-accounts/${robot.id}/tokens`, body)).status).toBe(
        201,
      )
      ctx.clock.advance(2)
    }
    const names = await namesOf(robot.id)
    expect(count(names, 'short')).toBe(5)
    expect(count(names, 'older')).toBe(MOST_EXPIRED_TOKENS - 4)
  })
})

describe('the entry of what is deleted tells how many live tokens went with it', () => {
  const fillAndTell = async (id: string, path: string) => {
    await fill(id)
    expect((await service.as(ada.token).delete(path)).status).toBe(204)
    return (await entriesAbout(ctx, id)).at(-1)
  }

  test('of a member', async () => {
    const { id } = await member(ctx, 'developer')
    const entry = await fillAndTell(id, `/v1/members/${id}`)
    expect(entry).toMatchObject({
      event_type: 'member.removed',
      old_values: { role: { name: 'Developer' }, tokens: 4 },
    })
  })

  test('of a service account', async () => {
    const { id } = await serviceAccount(ctx, 'service')
    const entry = await fillAndTell(id, `/v1/service-accounts/${id}`)
    expect(entry).toMatchObject({ event_type: 'service_account.deleted', old_values: { tokens: 4 } })
  })

  test('also none', async () => {
    const [mel, robot] = [await member(ctx, 'developer'), await serviceAccount(ctx, 'service')]
    await ctx.db`delete from tokens where principal_id in (${mel.id}, ${robot.id})`
    await service.as(ada.token).delete(`/v1/members/${mel.id}`)
    await service.as(ada.token).delete(`/v1/service-accounts/${robot.id}`)
    for (const { id } of [mel, robot]) {
      expect((await entriesAbout(ctx, id)).at(-1)).toMatchObject({ old_values: { tokens: 0 } })
    }
  })
})
