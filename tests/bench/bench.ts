import { createHash } from 'node:crypto'
import { Elysia } from 'elysia'
import { createApp } from '../../src/backend/app.ts'
import { prepareRecipient, wrapForRecipient } from '../../src/core/keys/wrapping.ts'
import { app } from '../support/apps.ts'
import { type TestContext, testContext } from '../support/context.ts'
import { member, owner } from '../support/people.ts'

/*
 * What Keyward's own work costs, as ratios of rates measured in one run and in turns: the machine's speed and noise are
 * in both halves of each. Prints; judges nothing.
 */

const ROUNDS = 3
const SECONDS = 1
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

/** `PUT …/access`, alternating between two sets of 10 apps × 3 environments, beside the wraps alone. */
async function settingAccess(): Promise<void> {
  const grace = await member(ctx, 'developer')
  const sets = [await bodyOf(ctx), await bodyOf(ctx)]
  let turn = 0
  const put = async () => {
    const response = await service.handle(
      new Request(`http://localhost/v1/members/${grace.id}/access`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${ada.token}`, 'content-type': 'application/json' },
        body: sets[turn++ % 2] ?? '',
      }),
    )
    if (response.status !== 200) throw new Error(await response.text())
  }
  const [holder] = await ctx.db<
    { identity_key: string }[]
  >`select identity_key from principals where id = ${grace.id}`
  const wrapAll = async () => {
    const recipient = prepareRecipient(holder?.identity_key ?? '')
    for (let i = 0; i < 60; i++) wrapForRecipient('0'.repeat(64), recipient)
  }
  await put()
  const rates = await inTurns({ Keyward: () => repeat(put), 'the 60 wraps alone': () => repeat(wrapAll) })
  print('PUT /v1/members/:id/access, 30 environments new and 30 revoked', 'requests/s', rates)
}

async function bodyOf(ctx: TestContext): Promise<string> {
  const apps = []
  for (let i = 0; i < 10; i++) {
    const { id, environments } = await app(ctx, undefined, ['Development', 'Staging', 'Production'])
    apps.push({ id, environments: environments.map((environment) => environment.id) })
  }
  return JSON.stringify({ apps })
}

/** Rates of each candidate, measured one after the other in every round; the median of the rounds. */
async function inTurns(candidates: Record<string, () => Promise<number>>): Promise<Map<string, number>> {
  const rates = new Map<string, number[]>(Object.keys(candidates).map((name) => [name, []]))
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, measure] of Object.entries(candidates)) rates.get(name)?.push(await measure())
  }
  return new Map([...rates].map(([name, measured]) => [name, median(measured)]))
}

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

/** How often a second something runs, one after the other. */
async function repeat(work: () => Promise<void>): Promise<number> {
  const start = performance.now()
  let times = 0
  for (; performance.now() - start < SECONDS * 1000; times++) await work()
  return (times / (performance.now() - start)) * 1000
}

function print(title: string, unit: string, rates: Map<string, number>): void {
  const [[, ours] = ['', 0]] = rates
  process.stdout.write(`\n${title}\n`)
  for (const [name, rate] of rates) {
    const ratio = name === 'Keyward' ? '' : `   Keyward is at ${(ours / rate).toFixed(2)} of it`
    process.stdout.write(`  ${Math.round(rate).toString().padStart(7)} ${unit}   ${name}${ratio}\n`)
  }
}

type Fetch = (request: Request) => Response | Promise<Response>

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

await reading('/v1/roles')
await reading(`/v1/members/${ada.id}`)
await settingAccess()
await ctx.close()
process.exit(0)
