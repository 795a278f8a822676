import { createApp } from '../../src/backend/app.ts'
import { pageWith } from '../../src/core/pagination.ts'
import { type TestContext, testContext } from '../support/context.ts'
import { fillOrganisation, type OrganisationSize } from '../support/large-organisation.ts'
import { member, owner, session } from '../support/people.ts'
import { type Place, READS, type Read } from './growth-reads.ts'
import { addSection } from './report.ts'
import { median } from './turns.ts'
import { wholeLists } from './whole-lists.ts'

const SIZES = {
  '10 members': { members: 10, serviceAccounts: 10, apps: 10, roles: 10, invites: 10, entries: 1000 },
  '100 members': { members: 100, serviceAccounts: 100, apps: 100, roles: 100, invites: 100, entries: 10_000 },
  '10,000 members': {
    members: 10_000,
    serviceAccounts: 1000,
    apps: 1000,
    roles: 200,
    invites: 1000,
    entries: 1_000_000,
  },
} as const satisfies Record<string, OrganisationSize>

/** How often each read is measured, and how long at most. */
const [TIMES, MILLISECONDS] = [25, 1500]

/**
 * How long every list and read takes in a small and in a large organisation, from the database each time. The middle
 * size has full pages too: it is what the large one is compared with.
 */
export async function growth(): Promise<void> {
  const places: Place[] = []
  for (const size of Object.values(SIZES)) places.push(await place(size))
  const columns = [...Object.keys(SIZES).map((size) => `${size}, ms`), 'growth']
  for (const [title, reads] of Object.entries(READS)) {
    const rows: [string, ...string[]][] = []
    for (const [name, read] of Object.entries(reads)) {
      const [small = 0, middle = 0, large = 0] = await times(places, read)
      rows.push([
        name,
        ...[small, middle, large].map((time) => time.toFixed(2)),
        `${(large / middle).toFixed(1)} ×`,
      ])
    }
    addSection({ title, columns: ['Read', ...columns], rows })
  }
  requireEveryRead(places[0] as Place)
  const { ctx, ada } = places.at(-1) as Place
  await wholeLists(ctx, ada)
  for (const { ctx } of places) await ctx.close()
}

async function place(size: OrganisationSize): Promise<Place> {
  const ctx = await testContext({ CACHE_MEGABYTES: '0', RATE_LIMIT_AUTH: 'off' })
  const ada = await owner(ctx)
  const { developerId, serviceAccountId } = await fillOrganisation(ctx, size)
  // One whose keys can be opened, with the access of one that was filled in.
  const grace = await member(ctx, 'developer')
  await copyAccess(ctx, developerId, grace.id)
  return {
    ctx,
    app: createApp(ctx),
    asked: new Set(),
    ada: ada.token,
    developer: grace.token,
    ownSession: await session(ctx, ada.userId),
    ids: await idsOf(ctx, developerId, serviceAccountId),
    between: await hourOf(ctx),
    after: await middleOf(ctx),
  }
}

async function copyAccess(ctx: TestContext, from: string, to: string): Promise<void> {
  await ctx.db`
    insert into grants (organisation_id, principal_id, app_id, environment_id, created_at)
    select organisation_id, ${to}, app_id, environment_id, created_at from grants where principal_id = ${from}`
  await ctx.db`
    insert into environment_keys (organisation_id, principal_id, app_id, environment_id, wrapped_seed, wrapped_salt, created_at)
    select organisation_id, ${to}, app_id, environment_id, wrapped_seed, wrapped_salt, created_at
    from environment_keys where principal_id = ${from}`
}

async function idsOf(ctx: TestContext, member: string, account: string): Promise<Place['ids']> {
  const [ids] = await ctx.db<[Omit<Place['ids'], 'member' | 'account'>]>`
    select (select id from roles where kind = 'developer') as role,
      (select app_id from grants where principal_id = ${member} order by environment_id limit 1) as app,
      (select environment_id from grants where principal_id = ${member} order by environment_id limit 1) as environment,
      (select actor_id from audit_entries where event_type = 'environment.updated' limit 1) as automation,
      (select actor_id from audit_entries where event_type = 'token.created' limit 1) as user`
  return { member, account, ...ids }
}

async function hourOf(ctx: TestContext): Promise<string> {
  const [row] =
    await ctx.db`select timestamp from audit_entries order by timestamp offset (select count(*) / 2 from audit_entries) limit 1`
  const from = new Date(row?.timestamp)
  return `from=${from.toISOString()}&to=${new Date(from.getTime() + 3600_000).toISOString()}`
}

/** Cursors to the middle of long lists. */
async function middleOf(ctx: TestContext): Promise<Place['after']> {
  const cursor = (list: string, row: Record<string, Date | string> | undefined) =>
    pageWith(
      ctx,
      list,
      [row],
      true,
      () => Object.values(row ?? {}).map((value) => (value instanceof Date ? value.toISOString() : value)),
      () => null,
    ).nextCursor ?? ''
  const middle = async (list: string, table: string, columns: readonly string[]) => {
    const key = ctx.db(columns as string[])
    const [row] = await ctx.db`
      select ${key} from ${ctx.db(table)} order by ${key} offset (select count(*) / 2 from ${ctx.db(table)}) limit 1`
    return cursor(list, row)
  }
  return {
    members: await middle('members', 'members', ['created_at', 'id']),
    'service-accounts': await middle('service-accounts', 'service_accounts', ['created_at', 'id']),
    apps: await middle('apps', 'apps', ['created_at', 'id']),
    access: await middle('access', 'grants', ['principal_id', 'environment_id']),
    audit: await middle('audit', 'audit_entries', ['timestamp', 'id']),
  }
}

/** The median time of a read in each place. They take turns, so that the machine's noise is in all of them. */
async function times(places: readonly Place[], read: Read): Promise<number[]> {
  const taken = places.map((): number[] => [])
  const start = performance.now()
  for (let turn = -2; turn < TIMES; turn++) {
    if (turn > 2 && performance.now() - start > MILLISECONDS) break
    for (const [index, place] of places.entries()) {
      const time = await timeOf(place, read(place))
      if (turn >= 0) taken[index]?.push(time)
    }
  }
  return taken.map(median)
}

async function timeOf({ app, asked }: Place, { path, token }: ReturnType<Read>): Promise<number> {
  asked.add(new URL(path, 'http://localhost').pathname)
  const headers = { authorization: `Bearer ${token}` }
  const start = performance.now()
  const response = await app.handle(new Request(`http://localhost${path}`, { headers }))
  const text = await response.text()
  const taken = performance.now() - start
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text}`)
  return taken
}

/** No read under /v1 may be left out. */
function requireEveryRead({ app, asked }: Place): void {
  const reads = app.routes.filter(
    // What one environment holds does not grow with the organisation: the part `secrets` measures it.
    ({ method, path }) => method === 'GET' && path.startsWith('/v1/') && !path.startsWith('/v1/secrets'),
  )
  const patterns = reads.map(({ path }) => path.replace(/(.)\/$/, '$1'))
  const missing = patterns.filter((pattern) => {
    const matching = new RegExp(`^${pattern.replace(/:[a-z_]+/g, '[^/]+')}$`)
    return ![...asked].some((path) => matching.test(path))
  })
  if (missing.length > 0) throw new Error(`not measured: ${missing.join(', ')}`)
}
