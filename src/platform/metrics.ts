import { KNOWN_METHODS } from './http/request-spans.ts'

/** What this process counts, for Prometheus. No label ever holds anything about a person. */
export type Metrics = Readonly<{
  /** One HTTP response; `route` is the pattern that matched (`/v1/roles/:id`), null when none did. */
  observeResponse(method: string, route: string | null, status: number, seconds: number): void
  /** One response with status 401. */
  countUnauthenticated(): void
  /** How one sign-in ended. Unknown accounts are counted as wrong passwords are. */
  countSignIn(method: SignInMethod, outcome: SignInOutcome): void
  /** One look into the memory of reads. */
  countRecall(what: Remembered, isHit: boolean): void
  /** One answer of the database about the version of its state. */
  countConfirmation(): void
  /** Everything counted so far, in Prometheus' text format. */
  text(): string
}>

/** What reads remember: who a token names, and what was answered. */
export type Remembered = 'caller' | 'answer'

/** What a sign-in is by. */
const SIGN_IN_METHODS = ['password', 'passkey', 'sso'] as const
export type SignInMethod = (typeof SIGN_IN_METHODS)[number]

/**
 * `failed` where the proof was wrong, `refused` where it was right and that was not enough, `limited` where there were too
 * many attempts, `error` where Keyward could not tell.
 */
const SIGN_IN_OUTCOMES = ['ok', 'failed', 'refused', 'limited', 'error'] as const
export type SignInOutcome = (typeof SIGN_IN_OUTCOMES)[number]

/** Prometheus' text format, as the answer's content type names it. */
export const METRICS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** Upper bounds in seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

type Series = { readonly buckets: number[]; readonly statuses: Map<number, number>; seconds: number }

/** Counters that begin at zero. */
export function createMetrics(): Metrics {
  const routes = new Map<string, Map<string, Series>>()
  const signIns = new Map(
    SIGN_IN_METHODS.flatMap((method) =>
      SIGN_IN_OUTCOMES.map((outcome) => [`{method="${method}",outcome="${outcome}"}`, 0 as number] as const),
    ),
  )
  let unauthenticated = 0
  let confirmations = 0
  const recalls = { caller: { hit: 0, miss: 0 }, answer: { hit: 0, miss: 0 } }

  return {
    observeResponse: (method, route, status, seconds) => {
      const series = seriesOf(routes, route ?? 'none', KNOWN_METHODS.has(method) ? method : 'other')
      series.statuses.set(status, (series.statuses.get(status) ?? 0) + 1)
      series.seconds += seconds
      const bucket = BUCKETS.findIndex((bound) => seconds <= bound)
      const at = bucket === -1 ? BUCKETS.length : bucket
      series.buckets[at] = (series.buckets[at] ?? 0) + 1
    },
    countUnauthenticated: () => {
      unauthenticated++
    },
    countSignIn: (method, outcome) => {
      const labels = `{method="${method}",outcome="${outcome}"}` as const
      signIns.set(labels, (signIns.get(labels) ?? 0) + 1)
    },
    countRecall: (what, isHit) => {
      recalls[what][isHit ? 'hit' : 'miss']++
    },
    countConfirmation: () => {
      confirmations++
    },
    text: () =>
      [
        ...requests(routes),
        ...durations(routes),
        ...counter('keyward_unauthenticated_total', 'Responses with status 401.', [`${unauthenticated}`]),
        ...counter(
          'keyward_sign_ins_total',
          'Sign-ins, by method and outcome.',
          [...signIns].map(([labels, count]) => `${labels} ${count}`),
        ),
        ...counter('keyward_memory_reads_total', 'Looks into the memory of reads.', recallSamples(recalls)),
        ...counter('keyward_state_confirmations_total', 'Versions that the database confirmed.', [
          `${confirmations}`,
        ]),
        '',
      ].join('\n'),
  }
}

const recallSamples = (recalls: Record<Remembered, { hit: number; miss: number }>): string[] =>
  Object.entries(recalls).flatMap(([what, { hit, miss }]) => [
    `{what="${what}",result="hit"} ${hit}`,
    `{what="${what}",result="miss"} ${miss}`,
  ])

function seriesOf(routes: Map<string, Map<string, Series>>, route: string, method: string): Series {
  const known = routes.get(route)?.get(method)
  if (known !== undefined) return known
  const series: Series = { buckets: BUCKETS.map(() => 0).concat(0), statuses: new Map(), seconds: 0 }
  routes.set(route, (routes.get(route) ?? new Map()).set(method, series))
  return series
}

type Routes = ReadonlyMap<string, ReadonlyMap<string, Series>>

const requests = (routes: Routes): string[] =>
  counter(
    'keyward_http_requests_total',
    'HTTP responses.',
    labelled(routes).flatMap(({ labels, series }) =>
      [...series.statuses].map(([status, count]) => `{${labels},status="${status}"} ${count}`),
    ),
  )

function durations(routes: Routes): string[] {
  const name = 'keyward_http_request_duration_seconds'
  return [
    `# HELP ${name} Time to respond.`,
    `# TYPE ${name} histogram`,
    ...labelled(routes).flatMap(({ labels, series }) => {
      let count = 0
      const buckets = [...BUCKETS, '+Inf'].map((bound, index) => {
        count += series.buckets[index] ?? 0
        return `${name}_bucket{${labels},le="${bound}"} ${count}`
      })
      return [...buckets, `${name}_sum{${labels}} ${series.seconds}`, `${name}_count{${labels}} ${count}`]
    }),
  ]
}

const labelled = (routes: Routes) =>
  [...routes].flatMap(([route, methods]) =>
    [...methods].map(([method, series]) => ({ labels: `method="${method}",route="${route}"`, series })),
  )

const counter = (name: string, help: string, samples: readonly string[]): string[] =>
  announced('counter', name, help, samples)

/** A number that goes up and down, in Prometheus' text format; each sample begins with its labels. */
export const gauge = (name: string, help: string, samples: readonly string[]): string[] =>
  announced('gauge', name, help, samples)

const announced = (type: string, name: string, help: string, samples: readonly string[]): string[] => [
  `# HELP ${name} ${help}`,
  `# TYPE ${name} ${type}`,
  ...samples.map((sample) => (sample.startsWith('{') ? `${name}${sample}` : `${name} ${sample}`)),
]
