import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createServer } from 'node:net'
import { openDatabase } from '../../../src/platform/postgres/database.ts'
import { api } from '../../support/api.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { countStatements } from '../../support/statements.ts'

let ctx: TestContext

beforeAll(async () => {
  ctx = await testContext()
})
afterAll(() => ctx.close())

const anyHost = { headers: { host: 'monitor.invalid' } }

describe('GET /service/ready', () => {
  test('is ready with a database whose schema is at least the program’s, for any Host', async () => {
    for (const schemaVersion of [ctx.schemaVersion, ctx.schemaVersion - 1]) {
      const { anonymous } = api({ ...ctx, schemaVersion })
      const { status, body } = await anonymous.send('GET', '/service/ready/', anyHost)
      expect(body).toEqual({ status: 'ready', schema: ctx.schemaVersion })
      expect(status).toBe(200)
    }
  })

  test('is 503 while the schema is older, and says what to do', async () => {
    const required = ctx.schemaVersion + 1
    const answer = await api({ ...ctx, schemaVersion: required }).anonymous.get('/service/ready')
    expect(answer.body).toEqual({
      error: `The database schema is at version ${ctx.schemaVersion} and must be at ${required}: run "keyward migrate".`,
    })
    expect(answer.status).toBe(503)
    expect(answer.headers.get('retry-after')).toBe('1')
  })

  test('is 503 while nobody listens where the database should be', async () => {
    await withServer(false, async (broken) => {
      const { status, body } = await api(broken).anonymous.get('/service/ready')
      expect(body).toEqual({ error: 'The database cannot be reached.' })
      expect(status).toBe(503)
    })
  })

  test('is 503 within two seconds while the database accepts and says nothing; health stays alive', async () => {
    await withServer(true, async (broken) => {
      const { anonymous } = api(broken)
      const started = performance.now()
      const { status, body } = await anonymous.get('/service/ready')
      expect(body).toEqual({ error: 'The database does not answer.' })
      expect(status).toBe(503)
      expect(performance.now() - started).toBeLessThan(2500)
      expect((await anonymous.get('/service/health')).body.status).toBe('alive')
    })
  })

  test('looks once for however many ask at the same time', async () => {
    const { anonymous } = api(ctx)
    const statements = await countStatements(ctx, async () => {
      const answers = await Promise.all(Array.from({ length: 20 }, () => anonymous.get('/service/ready')))
      expect(answers.every(({ status }) => status === 200)).toBe(true)
    })
    expect(statements).toBe(1)
  })
})

/** A context whose database is a port where a server listens and never answers, or where there is none. */
async function withServer(listens: boolean, use: (ctx: TestContext) => Promise<void>): Promise<void> {
  const server = createServer()
  const sockets = new Set<{ destroy(): void }>()
  server.on('connection', (socket) => sockets.add(socket))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const close = () => new Promise((resolve) => server.close(resolve))
  if (!listens) await close()
  const db = openDatabase({ ...ctx.database.config, host: '127.0.0.1', port })
  try {
    await use({ ...ctx, db })
  } finally {
    for (const socket of sockets) socket.destroy()
    await db.end({ timeout: 0 })
    if (listens) await close()
  }
}
