import { afterAll, beforeAll, expect, test } from 'bun:test'
import { api, type Client } from '../../support/api.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { fillOrganisation } from '../../support/large-organisation.ts'
import { nextToWait, takeAllTurns } from '../../support/large-turns.ts'
import { owner } from '../../support/people.ts'

let ctx: TestContext
let client: Client

beforeAll(async () => {
  ctx = await testContext()
  const ada = await owner(ctx)
  client = api(ctx).as(ada.token)
  const few = { apps: 2, roles: 1, invites: 1, entries: 1 }
  await fillOrganisation(ctx, { members: 1200, serviceAccounts: 1600, ...few })
})
afterAll(() => ctx.close())

test.each(['members', 'service-accounts'])(
  'the whole list of many %s is made in turns, like other large answers, and a page of it at once',
  async (list) => {
    const endTurns = await takeAllTurns(ctx)
    const waits = nextToWait(ctx).then(() => 'waits')
    const isWaiting = () => Promise.race([waits, Promise.resolve('nobody waits')])
    expect((await client.get(`/v1/${list}?limit=200`)).body.data.length).toBe(200)
    expect((await client.get(`/v1/${list}?q=nobody-has-this-name`)).body.data).toEqual([])
    expect(await isWaiting()).toBe('nobody waits')

    const whole = client.get(`/v1/${list}`)
    expect(await Promise.race([whole.then(() => 'answered'), waits])).toBe('waits')
    endTurns()
    expect((await whole).body.data.length).toBeGreaterThan(1000)
  },
)
