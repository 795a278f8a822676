/** The samplers that OTEL_TRACES_SAMPLER can name. */
export const SAMPLERS = [
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
  'always_on',
  'always_off',
  'traceidratio',
] as const

/** Where traces are sent to, and which. */
export type TracingConfig = Readonly<{
  /** The whole address of the collector, such as http://collector:4318/v1/traces. */
  url: string
  /** May hold credentials. */
  headers: Readonly<Record<string, string>>
  /** PEM text of the collector's certificate authority; null for the system's own. */
  ca: string | null
  /** Null for the component's own name. */
  serviceName: string | null
  /** Of the process, beside what it says of itself. */
  attributes: Readonly<Record<string, string>>
  /** `ratio` is from 0 to 1. */
  sampler: Readonly<{ name: (typeof SAMPLERS)[number]; ratio: number }>
}>
