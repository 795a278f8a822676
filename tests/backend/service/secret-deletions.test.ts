import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { api } from '../../support/api.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { eventually } from '../../support/eventually.ts'
import { member, owner, type Person } from '../../support/people.ts'
import { seal, sealedSecret, secretsOf } from '../../support/secrets.ts'

let ctx: TestContext
let service: ReturnType<typeof api>
let ada: Person
let appId: string
let environmentId: string
let secretId: string

beforeAll(async () => {
  ctx = await testContext()
  service = api(ctx)
  ada = await owner(ctx)
})
afterAll(() => ctx.close())

beforeEach(async () => {
  const { body } = await service.as(ada.token).post('/v1/apps', { name: `App ${crypto.randomUUID()}` })
  appId = body.id
  environmentId = body.environments[0].id
  const secrets = secretsOf(service.as(ada.token), environmentId)
  secretId = (await secrets('POST', [sealedSecret('ONE')])).body[0].id
})

const override = ({ token }: Person) =>
  service.as(token).put(`/v1/secrets/${secretId}/override`, { value: seal('mine') })

/** Sends requests one after the other, each once those before it wait for a lock, while nothing stores an override. */
async function inTurn(...requests: (() => Promise<{ status: number }>)[]): Promise<number[]> {
  const sent: Promise<{ status: number }>[] = []
  await ctx.database.aside.begin(async (tx) => {
    await tx`lock table secret_overrides in exclusive mode`
    for (const request of requests) {
      sent.push(request())
      await eventually('it waits for a lock', async () => {
        const waiting = await tx`
          select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
        return waiting.length === sent.length
      })
    }
  })
  return (await Promise.all(sent)).map(({ status }) => status)
}

test('the deletion of an app waits for the change that is under way, and later changes wait for the deletion', async () => {
  const [first, later] = [await member(ctx, 'admin'), await member(ctx, 'admin')]
  const remove = () => service.as(ada.token).delete(`/v1/apps/${appId}`)
  expect(
    await inTurn(
      () => override(first),
      remove,
      () => override(later),
    ),
  ).toEqual([200, 204, 404])
})

test('the removal of a member waits for the override that they are setting, and neither is refused', async () => {
  const grace = await member(ctx, 'admin')
  const remove = () => service.as(ada.token).delete(`/v1/members/${grace.id}`)
  expect(await inTurn(() => override(grace), remove)).toEqual([200, 204])
  expect(await ctx.db`select 1 from secret_overrides where principal_id = ${grace.id}`).toHaveLength(0)
})
