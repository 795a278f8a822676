import { createHash, randomUUID } from 'node:crypto'
import { type Config, readConfig } from '../../src/config.ts'
import type { Context } from '../../src/context.ts'
import { createServerKeys } from '../../src/core/keys/server-keys.ts'
import { type Clock, fakeClock } from '../../src/platform/clock.ts'
import { createLog } from '../../src/platform/log.ts'
import { createMetrics } from '../../src/platform/metrics.ts'
import { readMigrations } from '../../src/platform/migrate.ts'
import { openKv } from '../../src/platform/open-kv.ts'
import { createPasswords } from '../../src/platform/passwords.ts'
import { type TestDatabase, testDatabase } from './database.ts'

/** A configuration of a backend on localhost, with secrets of this name's own. */
export const testConfig = (environment: Record<string, string> = {}): Config =>
  readConfig('backend', {
    DATABASE_HOST: '127.0.0.1',
    DATABASE_NAME: 'keyward',
    DATABASE_USER: 'keyward',
    DATABASE_PASSWORD: 'unused',
    HOST: 'localhost',
    SECRET_KEY: hex('SECRET_KEY'),
    SERVER_SECRET: hex('SERVER_SECRET'),
    LOG_LEVEL: 'error',
    ...environment,
  })

export type TestContext = Context & {
  clock: Clock & { advance(seconds: number): void }
  database: TestDatabase
  close(): Promise<void>
}

/** A context on a fresh database, with a clock that stands still and cheap passwords. */
export async function testContext(environment: Record<string, string> = {}): Promise<TestContext> {
  const database = await testDatabase()
  const config = testConfig(environment)
  const clock = fakeClock()
  const log = createLog(config.logLevel)
  const kv = openKv(config.kv, clock, log)
  return {
    config,
    db: database.db,
    kv,
    clock,
    log,
    metrics: createMetrics(),
    schemaVersion: Math.max(...(await readMigrations()).map((migration) => migration.version)),
    keys: createServerKeys(config.serverSecret),
    passwords: createPasswords({ memoryCost: 8, timeCost: 1 }),
    database,
    close: async () => {
      await kv.close()
      await database.drop()
    },
  }
}

export const uniqueName = (what: string) => `${what} ${randomUUID().slice(0, 8)}`

const hex = (name: string) => createHash('sha256').update(name).digest('hex')
