import { createApp } from '../../src/backend/app.ts'
import { app } from '../support/apps.ts'
import { testContext } from '../support/context.ts'
import { owner } from '../support/people.ts'
import { sealedSecret } from '../support/secrets.ts'
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
  const lines: [string, number][] = [
    ['reading, from memory', await milliseconds(memory, { headers }, ROUNDS)],
    [
      'the same bytes from a bare handler (to stay within 3 times)',
      await milliseconds(bare, { headers }, ROUNDS),
    ],
    [
      'reading, from the database',
      await milliseconds(createApp({ ...ctx, memory: null }).fetch, { headers }, ROUNDS),
    ],
    ['creating', post],
    ['creating one alone', postOne],
    ['changing', put],
  ]
  process.stdout.write(`\n${PATH} with ${COUNT} secrets, ${Math.round(bytes.length / 1024)} KiB\n`)
  for (const [what, time] of lines) process.stdout.write(`  ${time.toFixed(2).padStart(7)} ms   ${what}\n`)
  await ctx.close()
}

async function milliseconds(handler: Fetch, init: RequestInit, rounds: number): Promise<number> {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: handler })
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    const start = performance.now()
    const answer = await fetch(`http://127.0.0.1:${server.port}${PATH}`, init)
    const text = await answer.arrayBuffer()
    if (answer.status !== 200) throw new Error(Buffer.from(text).toString().slice(0, 300))
    times.push(performance.now() - start)
  }
  await server.stop(true)
  return median(times)
}
