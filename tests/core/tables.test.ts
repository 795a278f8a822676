import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { testDatabase } from '../support/database.ts'
import { tableTypes } from '../support/table-types.ts'

const path = join(import.meta.dir, '../../src/core/tables.ts')

test('the types of rows are those of the migrated schema; run this test with UPDATE=1 to write them', async () => {
  const { db, drop } = await testDatabase()
  const types = await tableTypes(db).finally(drop)
  if (process.env.UPDATE === '1') await Bun.write(path, types)
  expect(await Bun.file(path).text()).toBe(types)
})
