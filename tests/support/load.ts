import { Agent, request as send } from 'node:http'

/** What became of a load: `reasons` counts the failed requests by why they failed. */
export type LoadReport = {
  sent: number
  failed: number
  reasons: Record<string, number>
  /** When each of the failed requests failed, in seconds since the start. */
  failedAt: number[]
  seconds: number
  slowestMs: number
  /** The bodies of the requests that were answered with 200, where they had one. */
  acknowledged: string[]
}

export type Load = {
  /** Sends nothing more, waits for the answers under way, and tells. */
  stop(): Promise<LoadReport>
}

export type LoadOptions = {
  /** Address of a Service on this machine. */
  url: string
  /** The Host of every request. */
  host: string
  /** Sent in turn; each must be answered with 200. */
  requests: readonly LoadRequest[]
  perSecond?: number
  /** How many connections are kept, and used in turn. */
  keptConnections?: number
  /** Ends by itself after this many seconds, whatever becomes of the test; that counts as a failure. */
  maxSeconds?: number
}

/** `body` is asked for one each time, so that a request that writes has something to write. */
export type LoadRequest = {
  method?: string
  path: string
  headers?: Record<string, string>
  body?: () => string
}

const TIMEOUT_MS = 10_000
const MAX_UNDER_WAY = 200

/**
 * Sends requests at a constant rate, at most 200 at once, however long the answers take: every other one on a connection of its own,
 * those between on connections that are kept, as a proxy keeps them.
 */
export function startLoad(options: LoadOptions): Load {
  const { perSecond = 40, maxSeconds = 240, keptConnections = 1, requests } = options
  const report: LoadReport = {
    sent: 0,
    failed: 0,
    reasons: {},
    failedAt: [],
    seconds: 0,
    slowestMs: 0,
    acknowledged: [],
  }
  const underWay = new Set<Promise<void>>()
  // One that a burst has opened besides is not kept: nobody can tell whether one that lies unused is cut at the next moment.
  const agents = Array.from(
    { length: keptConnections },
    () => new Agent({ keepAlive: true, maxFreeSockets: 1 }),
  )
  const start = performance.now()
  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - start) / 1000) * perSecond)
    for (; report.sent < due; ) {
      const request = requests[report.sent % requests.length]
      // A server that answers nothing fails those under way by their timeout; a slow machine sends later.
      if (request === undefined || underWay.size >= MAX_UNDER_WAY) return
      // Every other request has no agent, and so a connection of its own.
      const agent = report.sent % 2 === 1 && agents[(report.sent >> 1) % agents.length]
      report.sent++
      track(underWay, one({ ...options, agent: agent || false }, request, report, start))
    }
  }, 1000 / perSecond)
  const end = setTimeout(() => {
    clearInterval(timer)
    count(report, start, `the load had ended, after ${maxSeconds} s`)
  }, maxSeconds * 1000)
  return {
    stop: async () => {
      clearInterval(timer)
      clearTimeout(end)
      report.seconds = (performance.now() - start) / 1000
      await Promise.all(underWay)
      for (const agent of agents) agent.destroy()
      return report
    },
  }
}

/** One line about a load, for people. */
export function describeLoad(what: string, report: LoadReport): string {
  const { sent, failed, reasons, failedAt, seconds, slowestMs } = report
  const when = [...new Set(failedAt.map((at) => at.toFixed(1)))].slice(0, 20).join(', ')
  const why = failed > 0 ? ` (after ${when} s: ${JSON.stringify(reasons)})` : ''
  return `${what}: ${sent} requests sent in ${seconds.toFixed(0)} s, ${failed} failed, slowest ${slowestMs.toFixed(0)} ms${why}`
}

type Sending = LoadOptions & { agent: Agent | false }

async function one(
  options: Sending,
  request: LoadRequest,
  report: LoadReport,
  loadStart: number,
): Promise<void> {
  const start = performance.now()
  const body = request.body?.()
  const failed = (why: string) =>
    count(report, loadStart, `${request.path}: ${why}${options.agent ? ' (kept connection)' : ''}`)
  try {
    const status = await statusOf(options, request, body)
    if (status !== 200) failed(`status ${status}`)
    else if (body !== undefined) report.acknowledged.push(body)
  } catch (error) {
    const { code, message } = error as { code?: string; message?: string }
    failed(code ?? message ?? 'unknown')
  }
  report.slowestMs = Math.max(report.slowestMs, performance.now() - start)
}

// Not `fetch`, which sends a request again when its kept connection was cut, and so hides that it was lost.
function statusOf(
  { url, host, agent }: Sending,
  { method = 'GET', path, headers }: LoadRequest,
  body?: string,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = send(`${url}${path}`, {
      method,
      headers: { ...headers, host },
      agent,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    sent.on('error', reject)
    sent.on('response', (response) => {
      response.on('error', reject)
      response.on('end', () => resolve(response.statusCode ?? 0))
      response.resume()
    })
    sent.end(body)
  })
}

function count(report: LoadReport, start: number, reason: string): void {
  const at = (performance.now() - start) / 1000
  report.failedAt.push(at)
  report.failed++
  report.reasons[reason] = (report.reasons[reason] ?? 0) + 1
}

function track(underWay: Set<Promise<void>>, promise: Promise<void>): void {
  underWay.add(promise)
  void promise.finally(() => underWay.delete(promise))
}
