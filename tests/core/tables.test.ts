import { test } from 'bun:test'
import { join } from 'node:path'
import { testDatabase } from '../support/database.ts'
import { expectGenerated } from '../support/generated.ts'
import { tableTypes } from '../support/table-types.ts'

const path = join(import.meta.dir, '../../src/core/tables.ts')

test('the types of rows are those of the migrated schema', async () => {
  const { db, drop } = await testDatabase()
  await expectGenerated(path, await tableTypes(db).finally(drop))
})
