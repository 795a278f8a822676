import type { Db } from 'pg-boss'
import type { Database, Queryable, Transaction } from '../postgres/database.ts'

/**
 * pg-boss's view of our pool. Rejects with the database's own error.
 *
 * Texts that bring their own `BEGIN; … COMMIT;` become a transaction of postgres.js: a pool refuses to run them, and
 * `reserve()`, which would take them, can lose a connection or never answer when the server restarts.
 */
export function poolForQueue(db: Database): Db {
  let session: readonly string[] = []
  return {
    async executeSql(text, values) {
      const inner = OWN_TRANSACTION.exec(text)?.[1]
      if (inner === undefined && session.length === 0) return run(db, text, values)
      return await db.begin(async (tx) => {
        for (const statement of session) await tx.unsafe(statement)
        return run(tx, inner ?? text, values)
      })
    },
    async setSessionStatements(statements) {
      session = statements
    },
  }
}

/** pg-boss's view of a caller's transaction. */
export const transactionForQueue = (tx: Transaction): Db => ({
  executeSql: (text, values) => run(tx, text, values),
})

const OWN_TRANSACTION = /^\s*BEGIN;(.*)COMMIT;\s*$/s

async function run(db: Queryable, text: string, values: unknown[] = []): Promise<{ rows: unknown[] }> {
  const result: readonly unknown[] = await db.unsafe(
    jsonAsText(text, values),
    values as Parameters<Database['unsafe']>[1],
  )
  // A text of several statements answers with a list of results; pg-boss reads them as one.
  return { rows: Array.isArray(result[0]) ? result.flat() : [...result] }
}

/** JSON that is text already is declared as text: for a parameter of type json the driver would encode it once more. */
const jsonAsText = (text: string, values: readonly unknown[]): string =>
  text.replace(/\$(\d+)::(jsonb?)\b/g, (cast, position: string, type: string) =>
    typeof values[Number(position) - 1] === 'string' ? `$${position}::text::${type}` : cast,
  )
