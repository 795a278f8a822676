import { afterAll, beforeAll, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import type { Actor } from '../../../src/core/actor.ts'
import type { RoleKind } from '../../../src/core/permissions.ts'
import { type ExpiringSecretRow, expiring } from '../../../src/core/secrets/expiring-queries.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { member, owner, type Person } from '../../support/people.ts'
import { explainedDatabase } from '../../support/plans.ts'

const [ENVIRONMENTS, EACH, SHOWN, MOST] = [200, 100, 20, 1000]
const DAY_MILLISECONDS = 24 * 60 * 60 * 1000

let ctx: TestContext
let ada: Person & { organisationId: string }
let grace: Person

beforeAll(async () => {
  ctx = await testContext()
  ada = await owner(ctx)
  grace = await member(ctx, 'developer')
  await fill()
})
afterAll(() => ctx.close())

/** Environments with many secrets that have expired or soon will, many of them at once; all but the last are Grace's. */
async function fill(): Promise<void> {
  const now = ctx.clock.now()
  const [organisation, app] = [ada.organisationId, randomUUID()]
  await ctx.db.begin(async (tx) => {
    await tx`set local session_replication_role = replica`
    await tx`
      insert into apps (id, organisation_id, name, name_key, description, created_at, updated_at)
      values (${app}, ${organisation}, 'App', 'app', '', ${now}, ${now})`
    await tx`
      insert into environments (id, organisation_id, app_id, name, name_key, env_type, index, public_key, wrapped_seed,
        wrapped_salt, created_at, updated_at)
      select gen_random_uuid(), ${organisation}, ${app}, 'e-' || n, 'e-' || n, 'custom', n, 'x', 'x', 'x', ${now}, ${now}
      from generate_series(1, ${ENVIRONMENTS}::int) n`
    await tx`
      insert into grants (organisation_id, principal_id, app_id, environment_id, created_at)
      select organisation_id, ${grace.id}, app_id, id, ${now} from environments where index < ${ENVIRONMENTS}`
    // A few environments have what expires in the next days, and one has most of it.
    await tx`
      insert into secrets (id, organisation_id, app_id, environment_id, path, key, key_digest, value, comment, tags, type,
        version, created_at, updated_at, expires_at)
      select gen_random_uuid(), ${organisation}, ${app}, e.id, '/', 'x', sha256((e.id || '.' || n)::bytea), 'x', '', '{}',
        'secret', 1, ${now}, ${now}, ${now}::timestamptz + case
          when n % 4 = 0 then null
          when n % 4 = 1 then -(n * 7 + e.index) * interval '1 hour'
          when e.index = 7 then n * interval '1 second'
          when n % 4 = 2 then (24 + (n * 13 + e.index * 29) % 200) * interval '1 hour'
          else interval '90 days' end
      from environments e, generate_series(1, ${EACH}::int) n`
  })
}

const actor = (person: Person, kind: RoleKind) =>
  ({ type: 'user', id: person.id, organisation: { id: ada.organisationId }, role: { kind } }) as Actor

const time = (until = 14) => ({
  now: ctx.clock.now(),
  until: new Date(ctx.clock.now().getTime() + until * DAY_MILLISECONDS),
})

/** The same by reading everything. */
async function expected(mayOpenAll: boolean, { now, until }: ReturnType<typeof time>) {
  const rows = await ctx.db<Pick<ExpiringSecretRow, 'expires_at'>[]>`
    select s.expires_at from secrets s join environments e on e.id = s.environment_id
    where s.expires_at <= ${until} and (${mayOpenAll} or e.index < ${ENVIRONMENTS})`
  const times = rows.map(({ expires_at }) => expires_at.getTime())
  const soon = times.filter((at) => at > now.getTime()).sort((one, other) => one - other)
  const past = times.filter((at) => at <= now.getTime()).sort((one, other) => other - one)
  return { first: [...soon, ...past].slice(0, SHOWN), total: Math.min(times.length, MOST) }
}

test('the first of all environments are found, and all are counted, whoever asks', async () => {
  const people = [
    [actor(ada, 'owner'), true],
    [actor(grace, 'developer'), false],
  ] as const
  for (const [who, mayOpenAll] of people) {
    // Until times by which one environment has more than are shown, a few have, all have, and none has.
    for (const until of [0.0001, 0.01, 1.2, 2, 14, 0, -10, -1000]) {
      const at = time(until)
      const now = until < 0 ? { ...at, now: at.until } : at
      const rows = await expiring(ctx.db, who, now, SHOWN, MOST)
      const all = await expected(mayOpenAll, now)
      expect(rows.map(({ expires_at }) => expires_at.getTime())).toEqual(all.first)
      expect(new Set(rows.map(({ id }) => id)).size).toBe(all.first.length)
      expect(rows[0]?.total ?? 0).toBe(all.total)
    }
  }
  const theirs = await expiring(ctx.db, actor(ada, 'developer'), time(), SHOWN, MOST)
  expect(theirs).toHaveLength(0)
})

test('each environment that was granted is asked for its first, however many secrets expire in it', async () => {
  const { db, looks, end } = await explainedDatabase(ctx.database.config)
  try {
    for (const isAnalysed of [false, true]) {
      if (isAnalysed) await db`analyze`
      for (const plans of ['force_custom_plan', 'force_generic_plan']) {
        await db`select set_config('plan_cache_mode', ${plans}, false)`
        looks()
        await expiring(db, actor(grace, 'developer'), time(), SHOWN, MOST)
        const found = looks().filter(({ table }) => table === 'secrets')
        const read = found.reduce((sum, { rows }) => sum + rows, 0)
        // The first of each environment, and at most everything of those few that begin first, in both directions; and those
        // that are counted.
        const most = 2 * (ENVIRONMENTS + SHOWN * EACH) + MOST + EACH
        expect([isAnalysed, plans, read > most ? read : 'few']).toEqual([isAnalysed, plans, 'few'])
      }
    }
  } finally {
    await end()
  }
})
