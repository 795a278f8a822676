type Rule = 'always_on' | 'always_off' | 'traceidratio'

/** Which work is recorded; `parentbased_` where what sends a request decides, and says so. */
export type SamplerName = Rule | `parentbased_${Rule}`

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
  sampler: Readonly<{ name: SamplerName; ratio: number }>
}>
