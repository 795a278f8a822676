import type { TestContext } from './context.ts'

/** Gives a principal tokens that nobody knows, created so many seconds ago, which expire or have expired. */
export const addTokens = (
  ctx: TestContext,
  principalId: string,
  count: number,
  { name, createdAgo, expiresIn }: Readonly<{ name: string; createdAgo: number; expiresIn: number }>,
) => {
  const at = (seconds: number) => new Date(ctx.clock.now().getTime() + seconds * 1000)
  return ctx.db`
    insert into tokens (id, organisation_id, principal_id, name, hash, created_at, expires_at)
    select gen_random_uuid(), organisation_id, id, ${name}, sha256(uuid_send(gen_random_uuid())),
      ${at(-createdAgo)}, ${at(expiresIn)}
    from principals, generate_series(1, ${count}::int) where id = ${principalId}`
}
