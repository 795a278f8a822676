import { createApp } from '../backend/app.ts'
import { readConfig } from '../config.ts'
import { createContext } from '../context.ts'
import { requireServerSecret } from '../core/deployment.ts'
import { readMigrations } from '../platform/postgres/migrate.ts'
import { waitForSchema } from '../platform/postgres/schema-status.ts'

/** The part of Deno's API that is used; its types conflict with Bun's. */
type DenoServe = (
  options: { port: number; hostname: string },
  handler: (request: Request, info: { remoteAddr: { hostname: string } }) => Response | Promise<Response>,
) => unknown

const { serve } = (globalThis as unknown as { Deno: { serve: DenoServe } }).Deno

// The backend on Deno: sign-in by password needs Bun's argon2id and is missing here.
const config = readConfig('backend')
if (config.database === null) throw new Error('DATABASE_URL is not set.')
const migrations = await readMigrations()
const ctx = createContext(config, config.database, migrations.at(-1)?.version ?? 0)
await waitForSchema(ctx.db, migrations, { timeoutSeconds: 300, log: ctx.log })
await requireServerSecret(ctx.db, ctx.keys)

const peers = new WeakMap<Request, string>()
const { fetch } = createApp(ctx, (request) => peers.get(request) ?? null)
serve({ port: config.port, hostname: config.bindAddress }, (request, { remoteAddr }) => {
  peers.set(request, remoteAddr.hostname)
  return fetch(request)
})
