import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { REFUSALS } from '../../src/core/audit/refusals.ts'
import { api } from '../support/api.ts'
import { testContext } from '../support/context.ts'
import { eventsTable, refusalsTable } from '../support/event-tables.ts'
import { expectGenerated } from '../support/generated.ts'
import { withGenerated } from '../support/markdown.ts'
import type { Route } from '../support/permission-table.ts'
import { page, root } from './pages.ts'

const FILE = 'docs/events.md'

test('the tables of events and refusals are those of the program', async () => {
  const ctx = await testContext()
  const routes = api(ctx).app.routes as unknown as Route[]
  await ctx.close()
  const refusals = refusalsTable(routes)
  for (const refusal of REFUSALS) expect(refusals).toContain(`| \`${refusal}\` |`)
  const withEvents = withGenerated(page(FILE), 'events', eventsTable())
  await expectGenerated(join(root, FILE), withGenerated(withEvents, 'refusals', refusals))
})
