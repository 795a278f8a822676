import { describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { removeExpired } from '../../src/core/housekeeping.ts'
import { hashToken } from '../../src/core/tokens/token-text.ts'
import { api } from '../support/api.ts'
import { type TestContext, testContext } from '../support/context.ts'
import { owner, roleOf, serviceAccount, session, user } from '../support/people.ts'
import { addTokens } from '../support/tokens.ts'

test('deletes expired rows, keeps others, and skips locked ones without waiting', async () => {
  const ctx = await testContext()
  const ada = await owner(ctx)
  const client = api(ctx).as(ada.token)
  const role_id = (await roleOf(ctx, 'developer')).id
  const invite = async () =>
    (await client.post('/v1/members/invites', { email: `${randomUUID()}@example.org`, role_id })).body.id
  const userId = await user(ctx)
  await session(ctx, userId)
  await invite()
  const held = await invite()
  ctx.clock.advance(7 * 24 * 3600)
  const live = await invite()
  ctx.clock.advance(7 * 24 * 3600)
  await session(ctx, userId)
  const now = ctx.clock.now()
  const bearer = hashToken(await session(ctx, userId))
  await ctx.db`update session_tokens set expires_at = ${now} where hash = ${bearer}`

  const later = new Date(now.getTime() + 1)
  await ctx.db`
    insert into sso_used_states (hash, expires_at) values (${hashToken('old')}, ${now}), (${hashToken('new')}, ${later})`

  await ctx.db.begin(async (tx) => {
    await tx`select 1 from invites where id = ${held} for update`
    await tx`select 1 from session_tokens where hash = ${bearer} for update`
    await removeExpired(ctx)
  })
  const left = await ctx.db<{ id: string }[]>`select id from invites`
  expect(new Set(left.map(({ id }) => id))).toEqual(new Set([held, live]))
  expect(await ctx.db`select 1 from sessions`).toHaveLength(2)
  expect(await ctx.db`select 1 from session_tokens`).toHaveLength(2)

  expect(await ctx.db`select expires_at from sso_used_states`).toEqual([{ expires_at: later }] as never)

  await removeExpired(ctx)
  expect(await ctx.db`select 1 from session_tokens`).toHaveLength(1)
  expect(await ctx.db`select id from invites`).toMatchObject([{ id: live }])
  await ctx.close()
})

test('keeps a token for a week after it has expired', async () => {
  const ctx = await testContext()
  const ada = await owner(ctx)
  await ctx.db`update tokens set expires_at = ${ctx.clock.now()} where principal_id = ${ada.id}`
  const tokens = async () => (await ctx.db`select 1 from tokens`).length
  ctx.clock.advance(7 * 24 * 3600 - 1)
  await removeExpired(ctx)
  expect(await tokens()).toBe(1)
  ctx.clock.advance(1)
  await removeExpired(ctx)
  expect(await tokens()).toBe(0)
  await ctx.close()
})

test('keeps the newest 100 expired tokens of each principal, and every live one', async () => {
  const ctx = await testContext()
  const ada = await owner(ctx)
  const [many, few] = [await serviceAccount(ctx, 'service'), await serviceAccount(ctx, 'service')]
  await addTokens(ctx, many.id, 5, { name: 'live', createdAgo: 90, expiresIn: 1 })
  await addTokens(ctx, many.id, 200, { name: 'older', createdAgo: 60, expiresIn: 0 })
  await addTokens(ctx, many.id, 60, { name: 'newer', createdAgo: 30, expiresIn: -3 })
  await addTokens(ctx, few.id, 100, { name: 'older', createdAgo: 60, expiresIn: -5 })
  await removeExpired(ctx)
  const left = await ctx.db`
    select principal_id, name, count(*)::int from tokens where name <> 'test' group by 1, 2`
  expect(new Map(left.map((row) => [`${row.principal_id} ${row.name}`, row.count]))).toEqual(
    new Map([
      [`${many.id} live`, 5],
      [`${many.id} older`, 40],
      [`${many.id} newer`, 60],
      [`${few.id} older`, 100],
    ]),
  )
  expect((await api(ctx).as(ada.token).get('/v1/me')).status).toBe(200)
  await ctx.close()
})

test('deletes tickets and used challenges once they have expired', async () => {
  const ctx = await testContext()
  const userId = await user(ctx)
  const now = ctx.clock.now()
  const hash = (text: string) => hashToken(text)
  for (const [name, seconds] of [
    ['old', 0],
    ['live', 1],
  ] as const) {
    const expires_at = new Date(now.getTime() + seconds * 1000)
    await ctx.db`insert into used_challenges ${ctx.db({ hash: hash(name), expires_at })}`
    const row = { hash: hash(name), user_id: userId, browser_hash: hash('b'), password_digest: hash('p') }
    await ctx.db`insert into second_factor_tickets ${ctx.db({ ...row, created_at: now, expires_at })}`
  }
  await removeExpired(ctx)
  const live = [{ hash: hash('live') }]
  expect([...(await ctx.db`select hash from used_challenges`)]).toEqual(live)
  expect([...(await ctx.db`select hash from second_factor_tickets`)]).toEqual(live)
  await ctx.close()
})

describe('much that is due', () => {
  /** Has the server refuse statements that write more than so many rows of a table. */
  const limitStatements = (ctx: TestContext, table: string, change: 'update' | 'delete', most: number) =>
    ctx.db.unsafe(`
      create function refuse_many() returns trigger language plpgsql as $$ begin
        if (select count(*) from old_rows) > ${most} then raise 'too many rows for one statement'; end if;
        return null;
      end $$;
      create trigger refuse_many after ${change} on ${table}
        referencing old table as old_rows for each statement execute function refuse_many()`)

  const failures = (ctx: TestContext, count: number) => ctx.db`
    insert into sign_in_attempts (key, window_start, expires_at, count)
    select i::text, ${ctx.clock.now()}, ${ctx.clock.now()}::timestamptz - i * interval '1 second', 1
    from generate_series(1, ${count}::int) i`

  const reads = (ctx: TestContext, organisationId: string, count: number) => ctx.db`
    insert into audit_entries (id, organisation_id, event_type, resource_type, actor_type, actor_id, actor_metadata,
      resource_metadata, description, coalesce_key, timestamp)
    select gen_random_uuid(), ${organisationId}, 'secret.read', 'environment', 'user', ${randomUUID()}, '{}', '{}', 'Read.',
      sha256(i::text::bytea), ${ctx.clock.now()}::timestamptz - interval '3 hours'
    from generate_series(1, ${count}::int) i`

  const countOf = async (ctx: TestContext, table: string, condition = 'true') =>
    (await ctx.db.unsafe(`select 1 from ${table} where ${condition}`)).length

  test('is worked on in parts, all in one run', async () => {
    const ctx = await testContext()
    const { organisationId } = await owner(ctx)
    await failures(ctx, 25_000)
    await reads(ctx, organisationId, 20_001)
    await limitStatements(ctx, 'sign_in_attempts', 'delete', 10_000)
    await ctx.db`
      create trigger refuse_many after update on audit_entries
        referencing old table as old_rows for each statement execute function refuse_many()`
    await removeExpired(ctx)
    expect(await countOf(ctx, 'sign_in_attempts')).toBe(0)
    expect(await countOf(ctx, 'audit_entries', 'coalesce_key is not null')).toBe(0)
    await ctx.close()
  })

  test('a kind that fails keeps what it has done, and the others go on; then the run has failed', async () => {
    const ctx = await testContext({ AUDIT_RETENTION_DAYS: '30' })
    const { organisationId } = await owner(ctx)
    await failures(ctx, 15_000)
    await reads(ctx, organisationId, 3)
    await ctx.db`update audit_entries set timestamp = '2020-01-01' where description = 'Read.' and id in (
      select id from audit_entries where description = 'Read.' limit 1)`
    await ctx.db.unsafe(`
      create function refuse() returns trigger language plpgsql as $$ begin raise 'not this one'; end $$;
      create trigger refuse before delete on sign_in_attempts for each row when (old.key = '1') execute function refuse()`)
    await expect(removeExpired(ctx)).rejects.toThrow('not this one')
    expect(await countOf(ctx, 'sign_in_attempts')).toBe(5000)
    expect(await countOf(ctx, 'audit_entries', 'coalesce_key is not null')).toBe(0)
    expect(await countOf(ctx, 'audit_entries', `description = 'Read.'`)).toBe(2)
    await ctx.close()
  })
})
