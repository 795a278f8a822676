import { afterAll, beforeAll, expect, test } from 'bun:test'
import { api } from '../../support/api.ts'
import { app } from '../../support/apps.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { owner } from '../../support/people.ts'

let ctx: TestContext
let place: string
let client: ReturnType<ReturnType<typeof api>['as']>

beforeAll(async () => {
  ctx = await testContext({ RATE_LIMIT_AUTH: 'off' })
  client = api(ctx).as((await owner(ctx)).token)
  place = `app_id=${(await app(ctx)).id}&env=production`
})
afterAll(() => ctx.close())

/** The statuses of ten calls at once, and how many were answered at most in one turn of the event loop. */
async function tenAtOnce(call: (index: number) => Promise<{ status: number }>) {
  let [inTurn, most, isOver] = [0, 0, false]
  const nextTurn = () => {
    inTurn = 0
    if (!isOver) setImmediate(nextTurn)
  }
  setImmediate(nextTurn)
  const one = async (index: number) => {
    const { status } = await call(index)
    inTurn++
    most = Math.max(most, inTurn)
    return status
  }
  const statuses = await Promise.all(Array.from({ length: 10 }, (_, index) => one(index)))
  isOver = true
  return { statuses: new Set(statuses), most }
}

/** A text that takes long to normalise. */
const marks = (length: number) =>
  'a\u0345\u0360\u035c\u0315\u031b\u0301\u0323\u0316'.repeat(length / 9).slice(0, length)

test('of bodies that take long to check, one is checked in a turn of the event loop', async () => {
  const description = marks(39_000)
  const checked = await tenAtOnce(() => client.post('/v1/apps', { name: '', description }))
  expect(checked).toEqual({ statuses: new Set([400]), most: 1 })
})

test('so it is with bodies of visitors', async () => {
  const body = { email: 'not an address', password: marks(3000) }
  const checked = await tenAtOnce(() => api(ctx).anonymous.post('/service/auth/password/login/', body))
  expect(checked).toEqual({ statuses: new Set([400]), most: 1 })
})

test('of files to import, one is parsed in a turn of the event loop', async () => {
  const content = `A=${' '.repeat(200)}\n=`
  const checked = await tenAtOnce(() => client.post(`/v1/secrets/import?${place}`, { content }))
  expect(checked).toEqual({ statuses: new Set([400]), most: 1 })
})
