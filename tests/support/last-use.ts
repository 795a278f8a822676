import { hashBearer } from '../../src/core/tokens/bearer.ts'
import type { Client } from './api.ts'
import type { TestContext } from './context.ts'
import { eventually } from './eventually.ts'

/**
 * Calls with a token once and waits until that use is written, so that no statement of it is under way any more: what
 * a later call sends, as long as the clock stands still, is its own.
 */
export async function useOnce(ctx: TestContext, client: Client, token: string): Promise<void> {
  await client.get('/v1/me')
  const since = new Date(ctx.clock.now().getTime() - 60_000)
  await eventually("the token's last use is written", async () => {
    const rows =
      await ctx.db`select 1 from tokens where hash = ${hashBearer(token)} and last_used_at > ${since}`
    return rows.length === 1
  })
}
