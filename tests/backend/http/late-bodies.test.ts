import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createApp } from '../../../src/backend/app.ts'
import { api } from '../../support/api.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { member, owner, type Person, session } from '../../support/people.ts'

let ctx: TestContext
let ada: Person

beforeAll(async () => {
  ctx = await testContext()
  ada = await owner(ctx)
})
afterAll(() => ctx.close())

/** Sends a request, and its body when `meanwhile` has ended. */
async function postLate(
  path: string,
  token: string,
  content: object,
  meanwhile: () => Promise<unknown>,
): Promise<Response> {
  const sent = Promise.withResolvers<void>()
  const bytes = new TextEncoder().encode(JSON.stringify(content))
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(bytes.subarray(0, 5)),
    pull: async (controller) => {
      await sent.promise
      controller.enqueue(bytes.subarray(5))
      controller.close()
    },
  })
  const answer = createApp(ctx, () => '127.0.0.1').fetch(
    new Request(`http://localhost:8080${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body,
    }),
  )
  await Bun.sleep(1000)
  await meanwhile()
  sent.resolve()
  return await answer
}

test('whoever sends a body late has the rights of then', async () => {
  const client = api(ctx).as(ada.token)
  const roles = (await client.get('/v1/roles')).body.data as { id: string; name: string }[]
  const idOf = (name: string) => roles.find((role) => role.name === name)?.id ?? ''
  const [demoted, revoked, same] = [
    await member(ctx, 'admin'),
    await member(ctx, 'admin'),
    await member(ctx, 'admin'),
  ]
  const create = (token: string, meanwhile: () => Promise<unknown>) =>
    postLate('/v1/service-accounts', token, { name: 'late', role_id: idOf('Service') }, meanwhile)

  expect((await create(same.token, async () => {})).status).toBe(201)
  const demote = () => client.put(`/v1/members/${demoted.id}`, { role_id: idOf('Developer') })
  expect((await create(demoted.token, demote)).status).toBe(403)
  const revoke = () => ctx.db`delete from tokens where principal_id = ${revoked.id}`
  expect((await create(revoked.token, revoke)).status).toBe(401)

  const bearer = await session(ctx, same.userId)
  const endSession = () => ctx.db`delete from sessions where user_id = ${same.userId}`
  const change = { current_password: 'x', new_password: 'correct horse battery' }
  expect((await postLate('/service/auth/password/change/', bearer, change, endSession)).status).toBe(401)
})
