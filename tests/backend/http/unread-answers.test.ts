import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createUnreadAnswers } from '../../../src/platform/unread-answers.ts'
import { api } from '../../support/api.ts'
import { app } from '../../support/apps.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { eventually } from '../../support/eventually.ts'
import { member, owner, type Person } from '../../support/people.ts'

const KIB = 1024

let ctx: TestContext
let ada: Person

beforeAll(async () => {
  ctx = await testContext()
  ada = await owner(ctx)
})
afterAll(() => ctx.close())

test('what a change answers counts as unread; whoever has too much unread changes nothing until it is read', async () => {
  const unread = createUnreadAnswers({ maxBytes: 2048 * KIB, maxBytesEach: 512 * KIB })
  const backend = api({ ...ctx, unread })
  const shop = await app(ctx)
  const place = `/v1/secrets?app_id=${shop.id}&env=development`
  const add = (person: Person, key: string) =>
    backend.app.handle(
      new Request(`http://localhost${place}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${person.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          secrets: Array.from({ length: 10 }, (_, n) => ({
            key: `${key}_${n}`,
            value: 'v'.repeat(60 * KIB),
          })),
        }),
      }),
    )
  const answer = await add(ada, 'FIRST')
  expect(answer.status).toBe(200)
  expect(unread.inUse()).toBeGreaterThan(512 * KIB)
  const refusal = await backend.as(ada.token).post(place, { secrets: [{ key: 'SECOND', value: 'v' }] })
  expect(refusal).toMatchObject({
    status: 503,
    body: { error: 'Too many large responses are waiting to be read. Read them, then try again.' },
  })
  const other = backend.as((await member(ctx, 'admin')).token)
  expect((await other.post(place, { secrets: [{ key: 'OTHER', value: 'v' }] })).status).toBe(200)
  expect(await answer.json()).toHaveLength(10)
  expect(unread.inUse()).toBe(0)
  expect((await backend.as(ada.token).post(place, { secrets: [{ key: 'SECOND', value: 'v' }] })).status).toBe(
    200,
  )
  await (await add(ada, 'THIRD')).body?.cancel()
  await eventually('nothing is unread', () => unread.inUse() === 0)
})
