import { type TestContext, testContext } from '../../support/context.ts'
import { fillOrganisation } from '../../support/large-organisation.ts'
import { owner } from '../../support/people.ts'
import { type Things, thingsOf } from './statements.ts'

const SIZE = {
  members: 4000,
  admins: 2,
  serviceAccounts: 1000,
  apps: 1000,
  roles: 1000,
  invites: 1000,
  entries: 20_000,
  grantedApps: 1,
  secrets: 1000,
}

/** A context whose organisation has large tables, and some of everything in it. */
export async function largeState(): Promise<{ ctx: TestContext; things: Things }> {
  const ctx = await testContext()
  await owner(ctx)
  return { ctx, things: await thingsOf(ctx, await fillOrganisation(ctx, SIZE)) }
}
