import { createHash } from 'node:crypto'
import { Elysia } from 'elysia'
import { createApp } from '../../src/backend/app.ts'
import { testContext } from '../support/context.ts'
import { owner } from '../support/people.ts'
import { clientKeys } from './client-keys.ts'
import { grants } from './grants.ts'
import { secrets } from './secrets.ts'
import { inTurns, print, SECONDS } from './turns.ts'

/*
 * What Keyward's own work costs, as ratios of rates measured in one run and in turns: the machine's speed and noise are
 * in both halves of each. Prints; judges nothing.
 */

const CONNECTIONS = [1, 16, 64]

const ctx = await testContext()
const ada = await owner(ctx)
const service = createApp(ctx)
const withoutMemory = createApp({ ...ctx, memory: null })
const request = (path: string, token: string) =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`

/** A read beside a handler that does nothing, and one that does only what cannot be left out without a memory. */
async function reading(path: string): Promise<void> {
  const answer = await service.handle(
    new Request(`http://localhost${path}`, { headers: { authorization: `Bearer ${ada.token}` } }),
  )
  const bytes = await answer.text()
  const json = { 'content-type': 'application/json' }

  const bare = new Elysia().get(path, () => new Response(bytes, { headers: json }))
  const twoQueries = new Elysia().get(path, async ({ request }) => {
    const token = request.headers.get('authorization')?.slice('Bearer '.length) ?? ''
    const [held] = await ctx.db`
      select t.principal_id, p.organisation_id from tokens t join principals p on p.id = t.principal_id
      where t.hash = ${createHash('sha256').update(token).digest()}`
    const roles = await ctx.db`
      select id, name, description, color, kind, created_at from roles
      where organisation_id = ${held?.organisation_id} order by position, created_at, id`
    return new Response(roles.length > 0 ? bytes : '', { headers: json })
  })

  for (const connections of CONNECTIONS) {
    const at = (app: { fetch: Fetch }) => () => load(app.fetch, request(path, ada.token), connections)
    const rates = await inTurns({
      Keyward: at(service),
      'Keyward without a memory': at(withoutMemory),
      'a bare Elysia handler of the same bytes': at(bare),
      'token hash and two indexed queries': at(twoQueries),
    })
    print(`GET ${path} on ${connections} connections`, 'requests/s', rates)
  }
}

type Fetch = (request: Request) => Response | Promise<Response>

/** Requests a second over loopback HTTP, asked by another process. */
async function load(fetch: Fetch, text: string, connections: number): Promise<number> {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch })
  const client = Bun.spawn(
    ['bun', `${import.meta.dir}/load.ts`, String(server.port), String(connections), String(SECONDS)],
    {
      stdin: new TextEncoder().encode(text),
      stdout: 'pipe',
      stderr: 'inherit',
    },
  )
  const rate = Number(await new Response(client.stdout).text())
  await server.stop(true)
  return rate
}

await reading('/v1/roles')
await reading(`/v1/members/${ada.id}`)
await ctx.close()
await clientKeys()
await secrets()
await grants()
process.exit(0)
