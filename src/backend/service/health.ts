import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Context } from '../../context.ts'
import { DomainError } from '../../core/errors.ts'
import { isUnavailable } from '../../platform/database.ts'
import { schemaProblem, schemaStatus } from '../../platform/schema-status.ts'
import { guard } from '../guard.ts'
import type { Requests } from '../requests.ts'
import { answers } from '../responses.ts'

const tags = ['Health']

/** `/service/health/`: the process lives, whatever the state of its stores; `/service/ready/`: it can work. */
export const healthRoutes = (ctx: Context, requests: Requests) => {
  const look = readiness(ctx)
  return new Elysia({ prefix: '/service', normalize: false })
    .use(guard(ctx, requests))
    .get('/health', () => ({ status: 'alive', version: ctx.config.version }), {
      open: true,
      response: answers(200, Type.Object({ status: Type.String(), version: Type.String() })),
      detail: {
        tags,
        summary: 'Is the process alive?',
        description: 'Answers whatever the state of the stores, for any Host.',
      },
    })
    .get(
      '/ready',
      async () => {
        const fault = await look()
        if (fault !== null) throw new DomainError(503, fault, { 'retry-after': '1' })
        return { status: 'ready' }
      },
      {
        open: true,
        response: answers(200, Type.Object({ status: Type.String() })),
        detail: {
          tags,
          summary: 'Can it do its work?',
          description:
            '503 names what is missing: the database, or its schema. Answers within two seconds, for any Host.',
        },
      },
    )
}

const LONGEST_MILLISECONDS = 2000

/**
 * Finds out what keeps the program from its work, or null. However many ask, one look is begun at a time, and given up
 * when it takes too long: whoever wants can ask, and a connection may hang although the database is back.
 */
function readiness(ctx: Context): () => Promise<string | null> {
  let looking: Promise<string | null> | null = null
  return () => {
    looking ??= withinLimit(schemaFault(ctx)).finally(() => {
      looking = null
    })
    return looking
  }
}

async function withinLimit(look: Promise<string | null>): Promise<string | null> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(resolve, LONGEST_MILLISECONDS, 'The database does not answer.')
  })
  try {
    return await Promise.race([look, late])
  } finally {
    clearTimeout(timer)
  }
}

async function schemaFault(ctx: Context): Promise<string | null> {
  try {
    return schemaProblem(await schemaStatus(ctx.db, [{ version: ctx.schemaVersion }]))
  } catch (error) {
    if (isUnavailable(error)) return 'The database cannot be reached.'
    const { name, code } = error as { name?: string; code?: string }
    ctx.log.error({ cause: name, code }, "the database's schema could not be read")
    return 'The database cannot be used: its schema could not be read.'
  }
}
