import type { TestContext } from './context.ts'

type Entry = {
  event_type: string
  resource_type: string
  actor_id: string | null
  resource_metadata: unknown
  old_values: unknown
  new_values: unknown
  description: string
}

/** What the audit log says of changes to one resource, oldest first. */
export async function entriesAbout(ctx: TestContext, resourceId: string): Promise<Entry[]> {
  const rows = await ctx.db<Entry[]>`
    select event_type, resource_type, actor_id, resource_metadata, old_values, new_values, description
    from audit_entries where resource_id = ${resourceId} and coalesce_key is null
    order by timestamp, event_type`
  return [...rows]
}

/** The whole trail as text, to look for what must never stand in it. */
export const trailAsText = async (ctx: TestContext): Promise<string> =>
  JSON.stringify(await ctx.db`select * from audit_entries`)
