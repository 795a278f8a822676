import { afterAll, beforeAll, expect, test } from 'bun:test'
import { request } from 'node:http'
import { createApp } from '../../../src/backend/app.ts'
import { bunServe } from '../../../src/platform/http/serve-bun.ts'
import { type HttpServer, listen } from '../../../src/platform/http/server.ts'
import { app } from '../../support/apps.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { owner, type Person } from '../../support/people.ts'
import { sealedSecret } from '../../support/secrets.ts'

// What depends on the bytes on the wire: content types, reason phrases, bodies of DELETE, headers in UTF-8.

let ctx: TestContext
let ada: Person
let server: HttpServer
let environmentId: string

beforeAll(async () => {
  ctx = await testContext()
  ada = await owner(ctx)
  environmentId = (await app(ctx)).environments[0]?.id ?? ''
  server = listen(bunServe, { port: 0, address: '127.0.0.1' }, (peers) => createApp(ctx, peers.addressOf))
})
afterAll(async () => {
  await server.stop(1)
  await ctx.close()
})

type Reply = { status: number; reason: string; body: unknown }

const send = (method: string, body: unknown, headers: Record<string, string> = {}): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const text = body === undefined ? '' : JSON.stringify(body)
    // Named, because a DELETE would otherwise be sent without.
    const length = { 'content-length': String(Buffer.byteLength(text)) }
    const own = { authorization: `Bearer ${ada.token}`, environment: environmentId }
    const sent = request(
      `${server.url}/service/secrets/`,
      { method, headers: { ...own, ...length, ...headers } },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk) => chunks.push(chunk))
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            reason: response.statusMessage ?? '',
            body: JSON.parse(Buffer.concat(chunks).toString()),
          }),
        )
      },
    )
    sent.on('error', reject)
    sent.end(text)
  })

test.each(['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data', ''])(
  'a body is read as JSON where the content type is "%s"',
  async (type) => {
    const headers: Record<string, string> = type === '' ? {} : { 'content-type': type }
    const [created] = (await send('POST', { secrets: [sealedSecret(`KEY ${type}`)] }, headers)).body as {
      id: string
    }[]
    expect(created?.id).toBeString()
    const changed = await send('PUT', { secrets: [{ id: created?.id, tags: ['one'] }] }, headers)
    expect(changed).toMatchObject({ status: 200, body: [{ version: 2, tags: ['one'] }] })
    expect(await send('DELETE', { secrets: [created?.id] }, headers)).toMatchObject({ status: 200 })
    expect((await send('GET', undefined)).body).toEqual([])
  },
)

test('a conflict has the reason phrase Conflict, which the Terraform provider looks for', async () => {
  const body = { secrets: [sealedSecret('TWICE')] }
  expect((await send('POST', body)).status).toBe(200)
  expect(await send('POST', body)).toMatchObject({ status: 409, reason: 'Conflict' })
})

test('the bytes of a header are UTF-8', async () => {
  const [stored] = (await send('POST', { secrets: [sealedSecret('ÜBER', 'v', { tags: ['größe'] })] }))
    .body as object[]
  const latin1 = (text: string) => Buffer.from(text).toString('latin1')
  expect((await send('GET', undefined, { tags: latin1('größe') })).body).toEqual([stored])
  expect((await send('GET', undefined, { tags: 'gr\u00f6\u00dfe' })).status).toBe(400)
})
