import { createHash } from 'node:crypto'
import { Elysia } from 'elysia'
import { createApp } from '../../src/backend/app.ts'
import { testContext } from '../support/context.ts'
import { owner } from '../support/people.ts'
import { grants } from './grants.ts'
import { inTurns, print, SECONDS } from './turns.ts'

/*
 * What Keyward's own work costs, as ratios of rates measured in one run and in turns: the machine's speed and noise are
 * in both halves of each. Prints; judges nothing.
 */

const CONNECTIONS = 16

const ctx = await testContext()
const ada = await owner(ctx)
const service = createApp(ctx)
const request = (path: string, token: string) =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`

/** `GET /v1/roles` beside a handler that does nothing, and one that does only what cannot be left out. */
async function readingRoles(): Promise<void> {
  const path = '/v1/roles'
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

  const rates = await inTurns({
    Keyward: () => load(service.fetch, request(path, ada.token)),
    'a bare Elysia handler of the same bytes': () => load(bare.fetch, request(path, ada.token)),
    'token hash and two indexed queries': () => load(twoQueries.fetch, request(path, ada.token)),
  })
  print('GET /v1/roles', 'requests/s', rates)
}

/** Requests a second over loopback HTTP, asked by another process. */
async function load(
  fetch: (request: Request) => Response | Promise<Response>,
  text: string,
): Promise<number> {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch })
  const client = Bun.spawn(
    ['bun', `${import.meta.dir}/load.ts`, String(server.port), String(CONNECTIONS), String(SECONDS)],
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

await readingRoles()
await ctx.close()
await grants()
process.exit(0)
