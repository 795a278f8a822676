import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace'
import type { Log } from '../log.ts'
import { errorKind } from '../tracing.ts'

/** The result of an export as OpenTelemetry has it: 0 is success. */
type Result = Parameters<Parameters<SpanExporter['export']>[1]>[0]

const PAUSE_MS = 60_000

/**
 * The exporter, with one warning a minute while the collector takes nothing, and one line when it does again. They have the
 * kind of error, never its message, which may hold what the collector answered.
 */
export function tellingOfOutages(exporter: SpanExporter, log: Log): SpanExporter {
  let warnedAt = Number.NEGATIVE_INFINITY
  let isOut = false
  const tell = ({ code, error }: Result) => {
    if (code === 0) {
      if (isOut) log.info('The collector takes traces again')
      isOut = false
    } else if (performance.now() - warnedAt >= PAUSE_MS) {
      warnedAt = performance.now()
      isOut = true
      const sentence = 'The collector takes no traces; they are dropped. Check OTEL_EXPORTER_OTLP_ENDPOINT.'
      log.warn({ reason: errorKind(error) }, sentence)
    }
  }
  return {
    export: (spans: ReadableSpan[], done: (result: Result) => void) =>
      exporter.export(spans, (result) => {
        tell(result)
        done(result)
      }),
    shutdown: () => exporter.shutdown(),
    ...(exporter.forceFlush && { forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve() }),
  }
}
