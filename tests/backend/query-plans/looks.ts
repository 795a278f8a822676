import type { Context } from '../../../src/context.ts'
import type { Transaction } from '../../../src/platform/postgres/database.ts'
import type { TestContext } from '../../support/context.ts'
import { explainedDatabase, type Look } from '../../support/plans.ts'
import { recording } from '../../support/sql-templates.ts'
import type { Statements, Things } from './statements.ts'

/** Sends each statement in a transaction that is rolled back; what it looked at, by the statement's name. */
export async function looksOf(
  ctx: TestContext,
  things: Things,
  statements: Statements,
  record: (text: string) => void = () => {},
  settings: Readonly<Record<string, string>> = {},
): Promise<Map<string, Look[]>> {
  const explained = await explainedDatabase(ctx.database.config)
  for (const [name, value] of Object.entries(settings))
    await explained.db`select set_config(${name}, ${value}, false)`
  const found = new Map<string, Look[]>()
  const db = recording(explained.db, record)
  try {
    for (const [name, send] of Object.entries(statements)) {
      explained.looks()
      await db
        .begin(async (tx) => {
          // Whatever begins a transaction of its own is in this one.
          await send(tx, things, { ...ctx, db: asPool(tx, ctx) } as unknown as Context)
          throw new RolledBack()
        })
        .catch((error: unknown) => {
          if (!(error instanceof RolledBack)) throw new Error(`${name} failed`, { cause: error })
        })
      found.set(name, explained.looks())
    }
    return found
  } finally {
    await explained.end()
  }
}

class RolledBack extends Error {}

/** A transaction in the place of a pool. */
const asPool = (tx: Transaction, ctx: Context) =>
  new Proxy(tx, {
    get: (target, name) => {
      if (name === 'deadlines') return ctx.db.deadlines
      if (name === 'begin') return (work: (tx: Transaction) => unknown) => work(target)
      if (name === 'beginWithin') return (_: number, work: (tx: Transaction) => unknown) => work(target)
      return Reflect.get(target, name)
    },
  })
