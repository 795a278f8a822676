import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { testContext } from '../support/context.ts'
import {
  cleanUp,
  databaseUrl,
  dataDirectory,
  type Keyward,
  readyKeyward,
  startKeyward,
} from '../support/keyward.ts'
import { owner } from '../support/people.ts'
import { CONNECTIONS, loadOf, requestText } from './rates.ts'
import { addSection } from './report.ts'
import { median, ROUNDS, SECONDS } from './turns.ts'

const hex = (name: string) => createHash('sha256').update(name).digest('hex')
const SECRETS = { HOST: 'localhost', SECRET_KEY: hex('SECRET_KEY'), SERVER_SECRET: hex('SERVER_SECRET') }

/** A backend of its own on the database of a test's context. */
export const backendOn = (
  { database }: Pick<Awaited<ReturnType<typeof testContext>>, 'database'>,
  env: Record<string, string> = {},
): Promise<Keyward> =>
  readyKeyward({ args: ['backend'], env: { ...SECRETS, DATABASE_URL: databaseUrl(database.config), ...env } })

/** From the start of a process to its first 200 at /service/ready/, of three kinds of starts. */
export async function start(): Promise<void> {
  const times: Record<string, number[]> = {}
  const timed = async (name: string, args: string[], env: Record<string, string>) => {
    const began = performance.now()
    const keyward = startKeyward({ args, env: { ...SECRETS, ...env } })
    while (!(await isReady(keyward))) await Bun.sleep(2)
    times[name] = [...(times[name] ?? []), performance.now() - began]
    await keyward.stop()
  }
  const ctx = await testContext()
  for (let round = 0; round < ROUNDS; round++) {
    const env = { KEYWARD_DATA: await dataDirectory() }
    await timed('`serve`, first ever: makes its database and its secrets', [], env)
    await timed('`serve`, warm: on the data that it has', [], env)
    await timed('`backend`, on a PostgreSQL that runs', ['backend'], {
      DATABASE_URL: databaseUrl(ctx.database.config),
    })
  }
  await ctx.close()
  await cleanUp()
  addSection({
    title: 'Start to the first 200',
    columns: ['Start', 'ms'],
    rows: Object.entries(times).map(([name, measured]) => [name, median(measured).toFixed(0)]),
  })
}

const isReady = ({ url }: Keyward) =>
  fetch(`${url}/service/ready/`).then(
    ({ status }) => status === 200,
    () => false,
  )

/** The memory of a backend that has done nothing yet, and after load on more and more connections. */
export async function memory(): Promise<void> {
  const ctx = await testContext()
  const { token } = await owner(ctx)
  const keyward = await backendOn(ctx)
  const rows = [['idle', await resident(keyward)]]
  for (const connections of CONNECTIONS) {
    const scripts = [[requestText('GET', '/v1/roles', token)]]
    await loadOf(Number(new URL(keyward.url).port), connections, scripts, SECONDS * 3)
    rows.push([
      `after reads on ${connections} connection${connections === 1 ? '' : 's'}`,
      await resident(keyward),
    ])
  }
  await keyward.stop()
  await ctx.close()
  await cleanUp()
  addSection({ title: 'Memory of a backend', columns: ['When', 'MiB resident'], rows })
}

/** The resident memory of a process in MiB, or with `VmHWM` the most that it ever was. */
export async function resident({ child }: Keyward, field = 'VmRSS'): Promise<string> {
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8')
  return (Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]) / 1024).toFixed(0)
}
