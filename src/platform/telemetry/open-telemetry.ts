import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import {
  type SpanContext as ApiContext,
  isSpanContextValid,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { Log } from '../log.ts'
import { errorKind, type Span, setTracing, type Tracing } from '../tracing.ts'
import { tellingOfOutages } from './export-outages.ts'
import type { TracingConfig } from './tracing-config.ts'

/** The process that is traced. */
export type TracedProcess = Readonly<{ service: string; version: string; log: Log }>

/** Spans that wait to be sent; more are dropped. */
const MAX_WAITING = 2048
const SEND_AFTER_MS = 2000
/** Of one batch, with its repetitions. */
const SEND_WITHIN_MS = 10_000
const FLUSH_WITHIN_MS = 3000
/** A statement's text is longer than anything else in a span. */
const MAX_TEXT = 2048

/**
 * Sends what this process does to an OpenTelemetry collector, from now on. Nothing waits for the collector: what can't be
 * sent is dropped. Gives what turns tracing off, which sends what is left, for three seconds at most. Only this file knows
 * OpenTelemetry: it is loaded only while tracing is on.
 */
export function startTracing(config: TracingConfig, { service, version, log }: TracedProcess) {
  const exporter = new OTLPTraceExporter({
    url: config.url,
    headers: { ...config.headers },
    timeoutMillis: SEND_WITHIN_MS,
    concurrencyLimit: 4,
    ...(config.ca !== null && { httpAgentOptions: { keepAlive: true, ca: config.ca } }),
  })
  const processor = new BatchSpanProcessor({
    exporter: tellingOfOutages(exporter, log),
    maxQueueSize: MAX_WAITING,
    scheduledDelayMillis: SEND_AFTER_MS,
    exportTimeoutMillis: SEND_WITHIN_MS + 1000,
  })
  const provider = new TracerProvider({
    resource: defaultResource().merge(
      resourceFromAttributes({
        'service.name': service,
        'service.version': version,
        'service.instance.id': randomUUID(),
        ...config.attributes,
      }),
    ),
    sampler: samplerOf(config.sampler),
    spanLimits: { attributeValueLengthLimit: MAX_TEXT },
    spanProcessors: [processor],
  })
  setTracing(tracingBy(provider.getTracer('keyward', version)))
  return async (): Promise<void> => {
    setTracing(null)
    const sent = provider.shutdown().catch(() => {})
    let timer: ReturnType<typeof setTimeout> | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, FLUSH_WITHIN_MS)
    })
    await Promise.race([sent, late])
    clearTimeout(timer)
  }
}

function tracingBy(tracer: Tracer): Tracing {
  const active = new AsyncLocalStorage<OtelSpan>()
  const KINDS = { server: SpanKind.SERVER, consumer: SpanKind.CONSUMER } as const
  return {
    follow: async (kind, name, traceparent, work) => {
      const parent = traceparent === null ? null : contextOf(traceparent)
      const context = parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent)
      const span = tracer.startSpan(name, { kind: KINDS[kind] }, context)
      try {
        return await active.run(span, work, spanOf(span))
      } catch (error) {
        spanOf(span).fail(errorKind(error))
        throw error
      } finally {
        span.end()
      }
    },
    begin: (name, attributes) => {
      const parent = active.getStore()
      if (parent === undefined || !parent.isRecording()) return null
      const options = { kind: SpanKind.CLIENT, attributes: { ...attributes } }
      return spanOf(tracer.startSpan(name, options, trace.setSpan(ROOT_CONTEXT, parent)))
    },
    traceId: () => active.getStore()?.spanContext().traceId ?? null,
  }
}

const spanOf = (span: OtelSpan): Span => ({
  describe: (name, attributes) => {
    span.updateName(name)
    span.setAttributes({ ...attributes })
  },
  fail: (reason) => {
    span.setStatus({ code: SpanStatusCode.ERROR })
    span.setAttribute('error.type', reason)
  },
  end: () => span.end(),
})

/** The W3C trace context of a header; null for one that is not valid. `tracestate` is not read: anything may be in it. */
function contextOf(traceparent: string): ApiContext | null {
  const [, version, traceId = '', spanId = '', flags = '', more] = TRACEPARENT.exec(traceparent) ?? []
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return null
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED
  const context = { traceId, spanId, traceFlags, isRemote: true }
  return isSpanContextValid(context) ? context : null
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

function samplerOf({ name, ratio }: TracingConfig['sampler']): Sampler {
  const [, isParentBased, rule] = /^(parentbased_)?(.*)$/.exec(name) ?? []
  const root =
    rule === 'always_off'
      ? new AlwaysOffSampler()
      : rule === 'traceidratio'
        ? new TraceIdRatioBasedSampler(ratio)
        : new AlwaysOnSampler()
  return isParentBased ? new ParentBasedSampler({ root }) : root
}
