import { afterAll, beforeAll, expect, spyOn, test } from 'bun:test'
import { api, type Client } from '../../support/api.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { fillOrganisation } from '../../support/large-organisation.ts'
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
    const ends = await Promise.all(['a', 'b'].map((caller) => ctx.limitLargeReads.enter(caller)))
    const { promise: waits, resolve } = Promise.withResolvers<string>()
    const { enter } = ctx.limitLargeReads
    const spied = spyOn(ctx.limitLargeReads, 'enter').mockImplementation((caller) => {
      resolve('waits')
      return enter(caller)
    })
    expect((await client.get(`/v1/${list}?limit=200`)).body.data.length).toBe(200)
    expect((await client.get(`/v1/${list}?q=nobody-has-this-name`)).body.data).toEqual([])
    expect(spied).toHaveBeenCalledTimes(0)

    const whole = client.get(`/v1/${list}`)
    expect(await Promise.race([whole.then(() => 'answered'), waits])).toBe('waits')
    for (const end of ends) end()
    expect((await whole).body.data.length).toBeGreaterThan(1000)
    spied.mockRestore()
  },
)
