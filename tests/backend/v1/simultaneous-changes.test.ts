import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { api, type Client } from '../../support/api.ts'
import { app, type TestApp } from '../../support/apps.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { owner } from '../../support/people.ts'
import { inTurn } from '../../support/races.ts'

let ctx: TestContext
let clients: [Client, Client]
let shop: TestApp
let query: string
let ids: Record<string, string>

beforeAll(async () => {
  ctx = await testContext()
  const { token } = await owner(ctx)
  clients = [api(ctx).as(token), api(ctx).as(token)]
})
beforeEach(async () => {
  shop = await app(ctx)
  query = `?app_id=${shop.id}&env=production`
  const secrets = ['A', 'B'].map((key) => ({ key, value: '1' }))
  const { body } = await clients[0].post(`/v1/secrets${query}`, { secrets })
  ids = Object.fromEntries(body.map(({ id, key }: { id: string; key: string }) => [key, id]))
})
afterAll(() => ctx.close())

const values = async () =>
  Object.fromEntries(
    (await clients[0].get(`/v1/secrets${query}`)).body.map(({ key, value }: Record<string, string>) => [
      key,
      value,
    ]),
  )
const put = (client: Client, a: string, b: string) =>
  client.put(`/v1/secrets${query}`, {
    secrets: [
      { id: ids.A, value: a },
      { id: ids.B, value: b },
    ],
  })
const importFile = (client: Client, a: string, b: string) =>
  client.post(`/v1/secrets/import${query}`, { content: `A=${a}\nB=${b}` })

/** Has both read what there is before either can change it; then the first goes first. */
const bothRead = (...requests: [() => ReturnType<Client['put']>, () => ReturnType<Client['put']>]) =>
  inTurn(
    ctx.database.aside,
    (tx) => tx`select 1 from environments where id = ${shop.environments[1]?.id ?? ''} for update`,
    ...requests,
  )

describe('of two changes at the same time, the later one counts, also where it says what was there when it began', () => {
  test.each([
    ['changes of secrets', put],
    ['imports', importFile],
  ] as const)('%s', async (_, send) => {
    const answers = await bothRead(
      () => send(clients[0], '1', '2'),
      () => send(clients[1], '2', '1'),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(await values()).toEqual({ A: '2', B: '1' })
  })

  test('own values', async () => {
    const override = (client: Client, value: string) =>
      client.put(`/v1/secrets${query}`, { secrets: [{ id: ids.A, value: '1', override: { value } }] })
    expect((await override(clients[0], 'mine')).status).toBe(200)
    const answers = await bothRead(
      () => override(clients[0], 'other'),
      () => override(clients[1], 'mine'),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(answers[1]?.body[0].override.value).toBe('mine')
  })

  test('an import tells what it has changed of what the other one wrote', async () => {
    const [, second] = await bothRead(
      () => importFile(clients[0], '1', '2'),
      () => importFile(clients[1], '1', '1'),
    )
    const at = (key: string) => [{ key, path: '/' }]
    expect(second?.body).toEqual({ dryRun: false, created: [], changed: at('B'), unchanged: at('A') })
  })

  test('an import puts back what was deleted meanwhile', async () => {
    const answers = await bothRead(
      () => clients[0].send('DELETE', `/v1/secrets${query}`, { body: JSON.stringify({ secrets: [ids.A] }) }),
      () => importFile(clients[1], '1', '1'),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(await values()).toEqual({ A: '1', B: '1' })
  })
})
