import { env } from 'cloudflare:workers'
import { type Config, ConfigError, readConfig, withDatabase } from '../config.ts'
import type { DatabaseConfig } from '../platform/postgres/database.ts'
import type { Assets } from './cloudflare-files.ts'

/** Stands for Hyperdrive's address, which only a request may read. */
const LATER = 'postgres://hyperdrive:later@hyperdrive.invalid:5432/hyperdrive'

/** The configuration from variables, secrets and bindings. Throws ConfigError as `readConfig` does. */
export function readWorkerConfig(): Config {
  const config = readFrom(env.HYPERDRIVE === undefined ? null : LATER)
  const faults = [
    ...(config.kv.kind === 'redis' ? [ONLY_UPSTASH] : []),
    ...(config.kv.kind === 'memory' && config.rateLimits.default !== null ? [NEEDS_UPSTASH] : []),
  ]
  if (faults.length > 0) throw new ConfigError(faults)
  return config
}

/** The files of the console. */
export function workerAssets(): Assets {
  if (env.ASSETS === undefined) throw new ConfigError([NEEDS_ASSETS])
  return env.ASSETS
}

const NEEDS_ASSETS = 'The Worker has no assets under the name ASSETS: deploy it with src/edge/wrangler.jsonc.'
const ONLY_UPSTASH = 'REDIS_URL and REDIS_HOST cannot be used on Workers: set UPSTASH_REDIS_REST_URL.'
const NEEDS_UPSTASH =
  'RATE_LIMIT_DEFAULT needs UPSTASH_REDIS_REST_URL and UPSTASH_REDIS_REST_TOKEN on Workers: each isolate would count for itself.'

/** Where the database is. Within a request only. */
export function readWorkerDatabase(): DatabaseConfig {
  const { database } = readFrom(env.HYPERDRIVE?.connectionString ?? null)
  if (database === null) throw new Error('There is no database.')
  // Hyperdrive is reached within the machine, and speaks TLS to the database by itself.
  return env.HYPERDRIVE === undefined ? database : { ...database, ssl: 'disable' }
}

function readFrom(address: string | null): Config {
  if (address === null) return readConfig('backend')
  return readConfig('backend', withDatabase(address))
}
