import { createApp } from '../../src/backend/app.ts'
import { app } from '../support/apps.ts'
import { type TestContext, testContext } from '../support/context.ts'
import { owner } from '../support/people.ts'
import { sealedSecret } from '../support/secrets.ts'
import { addSection } from './report.ts'
import { median } from './turns.ts'

const ROUNDS = 40
const COUNT = 500
const PATH = '/service/secrets/'

type Fetch = (request: Request) => Response | Promise<Response>

/** How long 500 sealed secrets take to read and to write: over loopback HTTP, one request at a time. */
export async function secrets(): Promise<void> {
  const ctx = await testContext()
  const ada = await owner(ctx)
  const [{ id: environment } = { id: '' }] = (await app(ctx)).environments
  const headers = { authorization: `Bearer ${ada.token}`, environment, host: 'localhost' }
  const many = Array.from({ length: COUNT }, (_, index) =>
    sealedSecret(`KEY_${index}`, 'a value of usual length'),
  )
  const one = [sealedSecret('ONE')]
  const memory = createApp(ctx).fetch
  const bodyOf = (secrets: unknown) => ({ headers, body: JSON.stringify({ secrets }) })

  const writing = async (method: string, list: () => unknown, after: () => Promise<unknown>) => {
    const times: number[] = []
    for (let round = 0; round < ROUNDS / 4; round++) {
      times.push(await milliseconds(memory, { method, ...bodyOf(list()) }, 1))
      await after()
    }
    return median(times)
  }
  const clear = () => ctx.db`delete from secrets`
  const post = await writing('POST', () => many, clear)
  const postOne = await writing('POST', () => one, clear)
  await milliseconds(memory, { method: 'POST', ...bodyOf(many) }, 1)
  const stored = await (await memory(new Request(`http://localhost${PATH}`, { headers }))).json()
  const changes = (stored as { id: string }[]).map(({ id }) => ({ id }))
  const put = await writing(
    'PUT',
    () => changes.map(({ id }) => ({ id, tags: [crypto.randomUUID()] })),
    async () => {},
  )
  const bytes = await (await memory(new Request(`http://localhost${PATH}`, { headers }))).text()
  const bare = () => new Response(bytes, { headers: { 'content-type': 'application/json' } })
  const read = await milliseconds(memory, { headers }, ROUNDS)
  const bareRead = await milliseconds(bare, { headers }, ROUNDS)
  const uncached = await milliseconds(createApp({ ...ctx, memory: null }).fetch, { headers }, ROUNDS)
  addSection({
    title: `${PATH} with ${COUNT} secrets, ${Math.round(bytes.length / 1024)} KiB`,
    columns: ['One request at a time', 'ms'],
    rows: [
      ['GET, from memory', read],
      ['Floor: a bare handler of the same bytes', bareRead],
      ['GET, from the database', uncached],
      ['POST', post],
      ['POST of one', postOne],
      ['PUT', put],
    ].map(([what, time]) => [String(what), Number(time).toFixed(2)]),
  })
  await inClear(ctx, ada.token)
  await ctx.close()
}

/** The same number of secrets in clear: sealed and opened by the server. */
async function inClear(ctx: TestContext, token: string): Promise<void> {
  const { id, environments } = await app(ctx)
  const path = `/v1/secrets/?app_id=${id}&env=${environments[0]?.name}`
  const headers = { authorization: `Bearer ${token}`, host: 'localhost' }
  const secrets = Array.from({ length: COUNT }, (_, index) => ({
    key: `KEY_${index}`,
    value: 'a value of usual length',
  }))
  const { fetch } = createApp(ctx)
  const json = { ...headers, 'content-type': 'application/json' }
  const post = await milliseconds(
    fetch,
    { method: 'POST', headers: json, body: JSON.stringify({ secrets }) },
    1,
    path,
  )
  const get = await milliseconds(fetch, { headers }, ROUNDS / 4, path)
  addSection({
    title: `/v1/secrets with ${COUNT} secrets, sealed and opened by the server`,
    columns: ['One request at a time', 'ms'],
    rows: [
      ['GET', get.toFixed(2)],
      ['POST, once', post.toFixed(2)],
    ],
  })
}

async function milliseconds(handler: Fetch, init: RequestInit, rounds: number, path = PATH): Promise<number> {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: handler })
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    const start = performance.now()
    const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, init)
    const text = await answer.arrayBuffer()
    if (answer.status !== 200) throw new Error(Buffer.from(text).toString().slice(0, 300))
    times.push(performance.now() - start)
  }
  await server.stop(true)
  return median(times)
}
