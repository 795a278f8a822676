import { randomUUID } from 'node:crypto'
import { addKeyCopies, wrapForServer } from '../../src/core/environments/key-copies.ts'
import { generateEnvironmentKeys } from '../../src/core/keys/environment-keys.ts'
import { nameKey } from '../../src/core/text.ts'
import type { TestContext } from './context.ts'

export type TestEnvironment = { id: string; appId: string; seed: string; salt: string; publicKey: string }

/** An app with environments, written straight into the database: nobody has a copy of their keys yet. */
export async function appWith(
  ctx: TestContext,
  name: string,
  environments: readonly string[],
): Promise<{ id: string; environments: TestEnvironment[] }> {
  const [organisation] = await ctx.db<{ id: string }[]>`select id from organisations`
  if (organisation === undefined) throw new Error('found the organisation first')
  const stamps = { created_at: ctx.clock.now(), updated_at: ctx.clock.now() }
  const id = randomUUID()
  await ctx.db`insert into apps ${ctx.db({ id, organisation_id: organisation.id, name, name_key: nameKey(name), ...stamps })}`
  const made = environments.map(() => ({ id: randomUUID(), appId: id, ...generateEnvironmentKeys() }))
  const rows = made.map((environment, index) => ({
    id: environment.id,
    organisation_id: organisation.id,
    app_id: id,
    name: environments[index] ?? '',
    name_key: nameKey(environments[index] ?? ''),
    env_type: 'custom',
    index,
    public_key: environment.publicKey,
    ...wrapForServer(ctx, environment.id, environment),
    ...stamps,
  }))
  await ctx.db`insert into environments ${ctx.db(rows)}`
  return { id, environments: made }
}

/** Grants environments to a principal, each with a copy of its keys. */
export async function grant(
  ctx: TestContext,
  principalId: string,
  environments: readonly TestEnvironment[],
): Promise<void> {
  await ctx.db.begin(async (tx) => {
    const [holder] = await tx<{ id: string; identity_key: string; organisation_id: string }[]>`
      select id, identity_key, organisation_id from principals where id = ${principalId}`
    if (holder === undefined) throw new Error('no such principal')
    const rows = environments.map((environment) => ({
      organisation_id: holder.organisation_id,
      principal_id: principalId,
      app_id: environment.appId,
      environment_id: environment.id,
      created_at: ctx.clock.now(),
    }))
    await tx`insert into grants ${tx(rows)}`
    const sealed = environments.map((environment) => ({
      id: environment.id,
      app_id: environment.appId,
      ...wrapForServer(ctx, environment.id, environment),
    }))
    await addKeyCopies(ctx, tx, holder.organisation_id, [holder], sealed)
  })
}

export type TestApp = {
  id: string
  name: string
  environments: { id: string; name: string; envType: string }[]
}

/** An app as the API would make it: whoever has global access has a copy of every key. */
export async function app(
  ctx: TestContext,
  name = `App ${randomUUID().slice(0, 8)}`,
  environments = ['Development', 'Production'],
): Promise<TestApp> {
  const made = await appWith(ctx, name, environments)
  const holders = await ctx.db<{ id: string; identity_key: string; organisation_id: string }[]>`
    select id, identity_key, organisation_id from principals where role_kind in ('owner', 'admin')`
  const sealed = made.environments.map((environment) => ({
    id: environment.id,
    app_id: environment.appId,
    ...wrapForServer(ctx, environment.id, environment),
  }))
  await ctx.db.begin((tx) => addKeyCopies(ctx, tx, holders[0]?.organisation_id ?? '', holders, sealed))
  return {
    id: made.id,
    name,
    environments: made.environments.map(({ id }, index) => ({
      id,
      name: environments[index] ?? '',
      envType: 'custom',
    })),
  }
}
