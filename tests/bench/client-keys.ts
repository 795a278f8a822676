import { createApp } from '../../src/backend/app.ts'
import type { Context } from '../../src/context.ts'
import { appWith, grant } from '../support/apps.ts'
import { testContext } from '../support/context.ts'
import { owner, phaseToken, serviceAccount } from '../support/people.ts'
import { addSection } from './report.ts'
import { median } from './turns.ts'

const TIMES = 40
const PATH = '/service/secrets/tokens/'

/** How long Phase's clients wait for the list of their keys, with 3,000 environments: over loopback HTTP, one at a time. */
export async function clientKeys(): Promise<void> {
  const ctx = await testContext()
  await owner(ctx)
  const robot = await serviceAccount(ctx, 'service')
  for (let i = 0; i < 1000; i++) {
    const { environments } = await appWith(ctx, `app ${i}`, ['Development', 'Staging', 'Production'])
    await grant(ctx, robot.id, environments)
  }
  await ctx.db`vacuum analyze`
  const { bearer } = await phaseToken(ctx, robot.id)
  const fromDatabase = await milliseconds({ ...ctx, memory: null }, bearer)
  const fromMemory = await milliseconds(ctx, bearer)
  addSection({
    title: `GET ${PATH} with 3,000 environments`,
    columns: ['Answered', 'ms'],
    rows: [
      ['from the database', fromDatabase.toFixed(1)],
      ['from memory', fromMemory.toFixed(1)],
    ],
  })
  await ctx.close()
}

async function milliseconds(ctx: Context, bearer: string): Promise<number> {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: createApp(ctx).fetch })
  const times: number[] = []
  for (let round = 0; round < TIMES; round++) {
    const start = performance.now()
    const answer = await fetch(`http://127.0.0.1:${server.port}${PATH}`, {
      headers: { authorization: `Bearer ServiceAccount ${bearer}`, host: 'localhost' },
    })
    await answer.arrayBuffer()
    if (answer.status !== 200) throw new Error(`GET ${PATH} answered ${answer.status}.`)
    times.push(performance.now() - start)
  }
  await server.stop(true)
  return median(times)
}
