import type { Context } from '../context.ts'
import { requireServerSecret } from '../core/deployment.ts'
import { logRepeated } from '../core/repeated-lines.ts'
import { outageOf, outageSentence } from '../platform/postgres/outages.ts'
import { schemaProblem, schemaStatus } from '../platform/postgres/schema-status.ts'

/** Answered whatever the state of the stores. */
const MONITORED = /^\/service\/(?:health|ready)\/?$/

/**
 * What a process checks once, before it listens: that the database has its schema, and that its keys can be decrypted. On
 * a runtime without a start every request asks, until both were found right. Gives the answer that says what is wrong, and
 * logs the reason; null where the service can be used.
 */
export function createStart(ctx: Context): (request?: Request) => Promise<Response | null> {
  let isReady = false
  return async (request) => {
    if (isReady || (request !== undefined && MONITORED.test(new URL(request.url).pathname))) return null
    const reason = await problemOf(ctx)
    isReady = reason === null
    if (reason === null) return null
    logRepeated(ctx.log, 'error', { reason }, 'Keyward cannot serve')
    return unusable('Keyward cannot serve at the moment. The log says why.')
  }
}

/** The answer where nothing can be served. */
export const unusable = (error: string): Response =>
  Response.json(
    { error },
    {
      status: 503,
      headers: { 'cache-control': 'no-store', 'retry-after': '10', 'x-content-type-options': 'nosniff' },
    },
  )

async function problemOf(ctx: Context): Promise<string | null> {
  try {
    const problem = schemaProblem(await schemaStatus(ctx.db, [{ version: ctx.schemaVersion }]))
    if (problem !== null) return problem
    await requireServerSecret(ctx.db, ctx.keys)
    return null
  } catch (error) {
    const outage = outageOf(error)
    // What it throws beside is a sentence for whoever runs Keyward.
    return outage === null ? (error as Error).message : outageSentence(outage)
  }
}
