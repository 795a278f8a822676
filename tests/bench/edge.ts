import { testContext, testSecrets } from '../support/context.ts'
import { cleanUp, databaseUrl, type Keyward } from '../support/keyward.ts'
import { owner } from '../support/people.ts'
import { RUNTIMES, type RuntimeName, startBackend } from '../support/runtimes.ts'
import { resident } from './processes.ts'
import { loadOf, requestText } from './rates.ts'
import { addSection } from './report.ts'
import { inTurns, median, ROUNDS, SECONDS } from './turns.ts'

/** Each request of a Worker has connections of its own: more would fill a server's. */
const CONNECTIONS = [1, 16] as const

/** The same backend on Bun, Deno and workerd: cold start, memory, and rates, in turns. */
export async function edge(): Promise<void> {
  const ctx = await testContext()
  const { token } = await owner(ctx)
  const env = { DATABASE_URL: databaseUrl(ctx.database.config), ...testSecrets }
  // The Worker is built by the first start.
  const first = await startBackend('workerd', env)
  await answered(first)
  await first.stop('SIGKILL')

  const starts = new Map<RuntimeName, number[]>(RUNTIMES.map((runtime) => [runtime, []]))
  const backends = new Map<RuntimeName, Keyward>()
  for (let round = 0; round < ROUNDS; round++) {
    for (const runtime of RUNTIMES) {
      await backends.get(runtime)?.stop('SIGKILL')
      const began = performance.now()
      const backend = await startBackend(runtime, env)
      await answered(backend)
      starts.get(runtime)?.push(performance.now() - began)
      backends.set(runtime, backend)
    }
  }
  const of = (runtime: RuntimeName): Keyward => {
    const backend = backends.get(runtime)
    if (backend === undefined) throw new Error(`${runtime} does not run.`)
    return backend
  }
  addSection({
    title: 'Start to the first 200',
    columns: ['Backend', 'ms'],
    rows: RUNTIMES.map((runtime) => [runtime, median(starts.get(runtime) ?? []).toFixed(0)]),
  })
  const idle = await memories(of)
  await addRates('GET /v1/roles', of, () => requestText('GET', '/v1/roles', token))
  await addRates('PUT /v1/organisation, to another name', of, (at) =>
    requestText('PUT', '/v1/organisation', token, { name: at }),
  )
  const loaded = await memories(of)
  addSection({
    title: 'Memory of a backend',
    columns: ['MiB resident', 'idle', 'after load'],
    rows: RUNTIMES.map((runtime, at) => [runtime, idle[at] ?? '', loaded[at] ?? '']),
  })
  await cleanUp()
  await ctx.close()
}

async function addRates(
  title: string,
  of: (runtime: RuntimeName) => Keyward,
  request: (name: string) => string,
): Promise<void> {
  const columns: Map<string, number>[] = []
  for (const connections of CONNECTIONS) {
    const scripts = Array.from({ length: connections }, (_, at) => [request(`${at} a`), request(`${at} b`)])
    const rateOf = (runtime: RuntimeName) => () =>
      loadOf(Number(new URL(of(runtime).url).port), connections, scripts, SECONDS)
    columns.push(await inTurns(Object.fromEntries(RUNTIMES.map((runtime) => [runtime, rateOf(runtime)]))))
  }
  addSection({
    title,
    columns: [
      'Requests a second',
      ...CONNECTIONS.map((many) => `${many} connection${many === 1 ? '' : 's'}`),
    ],
    rows: RUNTIMES.map((runtime) => [
      runtime,
      ...columns.map((rates) => Math.round(rates.get(runtime) ?? 0).toLocaleString('en-US')),
    ]),
  })
}

const memories = (of: (runtime: RuntimeName) => Keyward) =>
  Promise.all(RUNTIMES.map((runtime) => resident(of(runtime))))

async function answered({ url, child, output }: Keyward): Promise<void> {
  for (;;) {
    const status = await fetch(`${url}/service/ready/`).then(
      (response) => response.status,
      () => null,
    )
    if (status === 200) return
    if (child.exitCode !== null) throw new Error(`The backend ended:\n${output()}`)
    await Bun.sleep(2)
  }
}
