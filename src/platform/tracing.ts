/** What a span says beside its name and its times. Never a value that people sent, an address, or a secret. */
export type Attributes = Readonly<Record<string, string | number>>

/** A piece of work whose time is told to the collector. */
export type Span = Readonly<{
  describe(name: string, attributes: Attributes): void
  /** Marks the work as failed, by a word such as an error's code or a status: never by a message. */
  fail(reason: string): void
  end(): void
}>

/** What follows the work of this process while tracing is on. */
export type Tracing = Readonly<{
  /** Follows work that begins with a request or a job; what it calls belongs to it. Rejects as the work does. */
  follow<T>(
    kind: 'server' | 'consumer',
    name: string,
    traceparent: string | null,
    work: (span: Span) => Promise<T>,
  ): Promise<T>
  /** Begins a span of the work under way; null where there is none, or where it is not recorded. */
  begin(name: string, attributes: Attributes): Span | null
  /** The trace of the work under way: 32 hexadecimal digits. */
  traceId(): string | null
}>

let current: Tracing | null = null

/** What follows this process's work; null while tracing is off. */
export const tracing = (): Tracing | null => current

/** Turns tracing on, or off with null. */
export function setTracing(next: Tracing | null): void {
  current = next
}

/** A call to another program, with a span of its own while tracing is on. Rejects as the call does. */
export function traceCall<T>(name: string, attributes: Attributes, call: () => Promise<T>): Promise<T> {
  const span = current === null ? null : current.begin(name, attributes)
  return span === null ? call() : ended(span, call)
}

/** What kind of error it was, without a word of its message. */
export function errorKind(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code
  if (typeof code === 'string' && /^\w{1,40}$/.test(code)) return code
  if (!(error instanceof Error)) return typeof error
  // The name of its class is another one in a minified program.
  return /^\w{1,40}$/.test(error.name) ? error.name : 'Error'
}

async function ended<T>(span: Span, call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    span.fail(errorKind(error))
    throw error
  } finally {
    span.end()
  }
}
