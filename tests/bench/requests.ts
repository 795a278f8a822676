import { createHash } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { Elysia } from 'elysia'
import { createApp } from '../../src/backend/app.ts'
import { bunArgon2id } from '../../src/platform/argon2id-bun.ts'
import { createPasswords } from '../../src/platform/passwords.ts'
import { type TestContext, testContext } from '../support/context.ts'
import { owner } from '../support/people.ts'
import { addRates, CONNECTIONS, overHttp, requestText } from './rates.ts'
import { repeat } from './turns.ts'

const MOST = Math.max(...CONNECTIONS)
const JSON_TYPE = { 'content-type': 'application/json' }

/** Reads from memory and from the database, beside a handler that does nothing, and one that does what a read must do. */
export async function reads(): Promise<void> {
  const ctx = await testContext()
  const ada = await owner(ctx)
  for (const path of ['/v1/roles', `/v1/members/${ada.id}`]) await reading(ctx, path, ada.token)
  await ctx.close()
}

async function reading(ctx: TestContext, path: string, token: string): Promise<void> {
  const service = createApp(ctx)
  const request = new Request(`http://localhost${path}`, { headers: { authorization: `Bearer ${token}` } })
  const bytes = await (await service.handle(request)).text()
  const bare = new Elysia().get(path, () => new Response(bytes, { headers: JSON_TYPE }))
  const scripts = [[requestText('GET', path, token)]]
  await addRates(
    `GET ${path.replace(/[0-9a-f-]{36}/, ':id')}`,
    {
      'Keyward, from memory': overHttp(service.fetch, scripts),
      'Keyward, from the database (CACHE_MEGABYTES=0)': overHttp(
        createApp({ ...ctx, memory: null }).fetch,
        scripts,
      ),
      'Floor: token hash and two indexed queries': overHttp(twoQueries(ctx, path, bytes).fetch, scripts),
      'Floor: a bare Elysia handler of the same bytes': overHttp(bare.fetch, scripts),
    },
    {
      'From memory ÷ two queries': ['Keyward, from memory', 'Floor: token hash and two indexed queries'],
      'From memory ÷ bare Elysia': ['Keyward, from memory', 'Floor: a bare Elysia handler of the same bytes'],
      'From the database ÷ two queries': [
        'Keyward, from the database (CACHE_MEGABYTES=0)',
        'Floor: token hash and two indexed queries',
      ],
    },
  )
}

const twoQueries = (ctx: TestContext, path: string, bytes: string) =>
  new Elysia().get(path, async ({ request }) => {
    const token = request.headers.get('authorization')?.slice('Bearer '.length) ?? ''
    const [held] = await ctx.db`
      select t.principal_id, p.organisation_id from tokens t join principals p on p.id = t.principal_id
      where t.hash = ${createHash('sha256').update(token).digest()}`
    const roles = await ctx.db`
      select id, name, description, color, kind, created_at from roles
      where organisation_id = ${held?.organisation_id} order by position, created_at, id`
    return new Response(roles.length > 0 ? bytes : '', { headers: JSON_TYPE })
  })

/** A change and its audit entry in one transaction; each connection renames to two names of its own in turn. */
export async function writes(): Promise<void> {
  const ctx = await testContext()
  const { token } = await owner(ctx)
  const rename = (name: string) => requestText('PUT', '/v1/organisation', token, { name })
  const scripts = Array.from({ length: MOST }, (_, i) => [rename(`${i} a`), rename(`${i} b`)])
  await addRates('PUT /v1/organisation, to another name', {
    Keyward: overHttp(createApp(ctx).fetch, scripts),
  })
  await ctx.close()
}

/** Sign-ins with a right password, with the hash of production; those for which no room is left don't count. */
export async function signIns(): Promise<void> {
  const ctx = {
    ...(await testContext({ RATE_LIMIT_AUTH: 'off' })),
    passwords: createPasswords({ argon2id: bunArgon2id }),
  }
  const app = createApp(ctx)
  const ada = { email: 'ada@example.org', password: 'correct horse battery' }
  const body = JSON.stringify(ada)
  const registered = await app.handle(
    new Request('http://localhost/service/auth/password/register', {
      method: 'POST',
      body,
      headers: JSON_TYPE,
    }),
  )
  if (registered.status !== 201) throw new Error(await registered.text())
  const [stored] = await ctx.db`select password_hash from users`
  const verify = () => Bun.password.verify(ada.password, stored?.password_hash)
  const login = requestText('POST', '/service/auth/password/login', null, ada)
  await addRates('POST /service/auth/password/login', {
    Keyward: overHttp(app.fetch, [[login]], 429),
    'Floor: the password hash alone': (connections) =>
      repeat(verify, Math.min(connections, availableParallelism())),
  })
  await ctx.close()
}
