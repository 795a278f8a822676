import { afterAll, beforeAll, expect, test } from 'bun:test'
import { api } from '../../support/api.ts'
import { app } from '../../support/apps.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { member, owner } from '../../support/people.ts'
import { seal, sealedSecret, secretsOf } from '../../support/secrets.ts'

let ctx: TestContext

beforeAll(async () => {
  ctx = await testContext()
})
afterAll(() => ctx.close())

test('restoring a deleted secret takes the permission to create secrets', async () => {
  const service = api(ctx)
  const client = service.as((await owner(ctx)).token)
  const shop = await app(ctx)
  const environmentId = shop.environments[0]?.id ?? ''
  const secrets = secretsOf(client, environmentId)
  const [one] = (await secrets('POST', [sealedSecret('ONE', 'first')])).body
  const who = async (...actions: string[]) => {
    const { body } = await client.post('/v1/roles', {
      name: actions.join(' and '),
      permissions: { permissions: {}, app_permissions: { Secrets: actions } },
    })
    const person = await member(ctx, { id: body.id })
    const apps = [{ id: shop.id, environments: [environmentId] }]
    expect((await client.put(`/v1/members/${person.id}/access`, { apps })).status).toBe(200)
    return service.as(person.token)
  }
  const [updates, creates] = [await who('update'), await who('create', 'update')]
  const path = `/v1/secrets/${one.id}/restore`
  await secrets('PUT', [{ id: one.id, value: seal('second') }])
  expect(await updates.post(path, { version: 1 })).toMatchObject({ status: 200, body: { version: 3 } })
  await secrets('DELETE', [one.id])
  expect(await updates.post(path, { version: 1 })).toMatchObject({
    status: 403,
    body: { error: "You don't have permission to create secrets, and this one is deleted." },
  })
  expect((await secrets('GET')).body).toEqual([])
  expect(await creates.post(path, { version: 1 })).toMatchObject({ status: 200, body: { version: 5 } })
  expect(await updates.post(path, { version: 2 })).toMatchObject({ status: 200, body: { version: 6 } })
})
