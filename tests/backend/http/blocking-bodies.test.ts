import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Sharer } from '../../../src/platform/turn-queues.ts'
import { type Answer, api } from '../../support/api.ts'
import { app } from '../../support/apps.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { countTurns } from '../../support/event-loop.ts'
import { owner } from '../../support/people.ts'

let ctx: TestContext
let place: string
let ada: Awaited<ReturnType<typeof owner>>

beforeAll(async () => {
  ctx = await testContext({ RATE_LIMIT_AUTH: 'off' })
  ada = await owner(ctx)
  place = `app_id=${(await app(ctx)).id}&env=production`
})
afterAll(() => ctx.close())

/** A service in which turns to block the event loop are given by `begin`. */
function service() {
  const asked: Sharer[] = []
  const { promise: waits, resolve: startWaiting } = Promise.withResolvers<string>()
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  let [ended, endedInTurn] = [0, -1]
  const counter = countTurns()
  const waitToBlock = async (caller: Sharer) => {
    asked.push(caller)
    startWaiting('waits')
    await begun
    return () => {
      ended++
      if (endedInTurn < 0) endedInTurn = counter.turns
    }
  }
  const { as, anonymous } = api({ ...ctx, waitToBlock })
  return {
    client: as(ada.token),
    anonymous,
    asked,
    /** Begins the turn that the call waits for; gives its status and the turn of the event loop after which it ended. */
    begin: async (call: Promise<Answer>) => {
      const first = await Promise.race([call.then(() => 'answered'), waits])
      const before = counter.turns
      begin()
      const { status } = await call
      counter[Symbol.dispose]()
      return { first, status, ended: ended > 0, turns: endedInTurn - before }
    },
  }
}

test('a body of more than 2 KiB is parsed and checked in a turn to block the event loop', async () => {
  for (const [body, status] of [
    [{ name: 'Shop 1', description: 'x'.repeat(3000) }, 201],
    [{ name: '', description: 'x'.repeat(3000) }, 400],
  ] as const) {
    const { client, asked, begin } = service()
    expect(await begin(client.post('/v1/apps', body))).toEqual({
      first: 'waits',
      status,
      ended: true,
      // Before anything is waited for.
      turns: 0,
    })
    expect(asked).toMatchObject([{ responsibleId: ada.id }])
  }
})

test('a small body waits for no such turn', async () => {
  const { client, asked } = service()
  expect((await client.post('/v1/apps', { name: 'Shop 2', description: 'x'.repeat(1900) })).status).toBe(201)
  expect(asked).toEqual([])
})

test('bodies of visitors wait for the turns of one share, in which their sites take turns', async () => {
  const { anonymous, asked, begin } = service()
  const body = { email: 'nobody@example.org', password: 'x'.repeat(1000), unknown: 'x'.repeat(3000) }
  const answered = await begin(anonymous.post('/service/auth/password/login/', body))
  expect(answered).toEqual({ first: 'waits', status: 400, ended: true, turns: 0 })
  expect(asked).toMatchObject([{ responsibleId: 'visitors', branchId: expect.any(String) }])
})

test('a file to import is parsed in such a turn, however small it is', async () => {
  const { client, asked, begin } = service()
  const answered = await begin(client.post(`/v1/secrets/import?${place}`, { content: 'A=1' }))
  expect(answered).toEqual({ first: 'waits', status: 200, ended: true, turns: 0 })
  expect(asked).toMatchObject([{ id: ada.id }])
})
