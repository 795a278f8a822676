import { addSection } from './report.ts'
import { inTurns, SECONDS } from './turns.ts'

export const CONNECTIONS = [1, 16, 64] as const

type Fetch = (request: Request) => Response | Promise<Response>

/** What a connection sends, in turn. */
type Script = readonly string[]

/** Something that is measured on a number of connections: its rate. */
export type Candidate = (connections: number) => Promise<number>

/** A table of rates by the number of connections; the first candidate is also put in ratio to those after `floor`. */
export async function addRates(
  title: string,
  candidates: Readonly<Record<string, Candidate>>,
  ratios: Readonly<Record<string, readonly [of: string, to: string]>> = {},
): Promise<void> {
  const columns: Map<string, number>[] = []
  for (const connections of CONNECTIONS) {
    const measured = Object.entries(candidates).map(
      ([name, rate]) => [name, () => rate(connections)] as const,
    )
    columns.push(await inTurns(Object.fromEntries(measured)))
  }
  const rates = Object.keys(candidates).map((name) => [
    name,
    ...columns.map((rates) => figure(rates.get(name) ?? 0)),
  ])
  const quotients = Object.entries(ratios).map(([name, [of, to]]) => [
    name,
    ...columns.map((rates) => `${((rates.get(of) ?? 0) / (rates.get(to) ?? 0)).toFixed(2)} ×`),
  ])
  addSection({
    title,
    columns: [
      'Requests a second',
      ...CONNECTIONS.map((many) => `${many} connection${many === 1 ? '' : 's'}`),
    ],
    rows: [...rates, ...quotients],
  })
}

const figure = (rate: number): string =>
  rate < 100 ? rate.toFixed(1) : Math.round(rate).toLocaleString('en-US')

/** Requests over loopback HTTP, asked by another process. Answers with `passedOver` count as none. */
export const overHttp =
  (fetch: Fetch, scripts: readonly Script[], passedOver?: number): Candidate =>
  async (connections) => {
    const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch })
    try {
      return await loadOf(Number(server.port), connections, scripts, SECONDS, passedOver)
    } finally {
      await server.stop(true)
    }
  }

/** Answers a second of a port, asked by another process. */
export async function loadOf(
  port: number,
  connections: number,
  scripts: readonly Script[],
  seconds: number,
  passedOver = 200,
): Promise<number> {
  const client = Bun.spawn(
    ['bun', `${import.meta.dir}/load.ts`, ...[port, connections, seconds, passedOver].map(String)],
    { stdin: new TextEncoder().encode(JSON.stringify(scripts)), stdout: 'pipe', stderr: 'inherit' },
  )
  const text = await new Response(client.stdout).text()
  if ((await client.exited) !== 0) throw new Error('the load failed')
  return Number(text)
}

/** A request as it is sent. */
export function requestText(method: string, path: string, token: string | null, body?: object): string {
  const text = body === undefined ? '' : JSON.stringify(body)
  const headers = [
    `${method} ${path} HTTP/1.1`,
    'Host: localhost',
    ...(token === null ? [] : [`Authorization: Bearer ${token}`]),
    ...(body === undefined ? [] : ['Content-Type: application/json', `Content-Length: ${text.length}`]),
  ]
  return `${headers.join('\r\n')}\r\n\r\n${text}`
}
