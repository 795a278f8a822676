import { gunzipSync } from 'node:zlib'

/** A span as a collector receives it. */
export type ReceivedSpan = {
  name: string
  kind: number
  traceId: string
  spanId: string
  parentSpanId: string
  attributes: Record<string, string | number | boolean>
  events: number
  /** 2 for failed work. */
  status: number
  resource: Record<string, string | number | boolean>
}

export type Collector = {
  /** The address for OTEL_EXPORTER_OTLP_ENDPOINT. */
  url: string
  spans: ReceivedSpan[]
  /** Each request's headers, and its bytes as text. */
  requests: { path: string; headers: Headers; text: string }[]
  stop(): Promise<void>
}

/** A collector of OTLP over HTTP in this process, which decodes what it is sent; `answer` is what it responds. */
export function startCollector(
  answer: () => Response | Promise<Response> = () => new Response(),
  port = 0,
): Collector {
  const spans: ReceivedSpan[] = []
  const requests: Collector['requests'] = []
  const server = Bun.serve({
    port,
    hostname: '127.0.0.1',
    fetch: async (request) => {
      const sent = new Uint8Array(await request.arrayBuffer())
      const bytes = request.headers.get('content-encoding') === 'gzip' ? gunzipSync(sent) : sent
      const { pathname } = new URL(request.url)
      requests.push({ path: pathname, headers: request.headers, text: Buffer.from(bytes).toString('latin1') })
      const response = await answer()
      if (response.ok) spans.push(...spansOf(bytes))
      return response
    },
  })
  return { url: `http://127.0.0.1:${server.port}`, spans, requests, stop: () => server.stop(true) }
}

/** Of an ExportTraceServiceRequest, as opentelemetry/proto/trace/v1/trace.proto numbers its fields. */
function spansOf(bytes: Uint8Array): ReceivedSpan[] {
  return nested(bytes, 1).flatMap((resourceSpans) => {
    const resource = attributesOf(nested(resourceSpans, 1)[0] ?? new Uint8Array(), 1)
    return nested(resourceSpans, 2).flatMap((scopeSpans) =>
      nested(scopeSpans, 2).map((span) => ({
        traceId: Buffer.from(nested(span, 1)[0] ?? []).toString('hex'),
        spanId: Buffer.from(nested(span, 2)[0] ?? []).toString('hex'),
        parentSpanId: Buffer.from(nested(span, 4)[0] ?? []).toString('hex'),
        name: textOf(nested(span, 5)[0]),
        kind: numbers(span, 6)[0] ?? 0,
        attributes: attributesOf(span, 9),
        events: nested(span, 11).length,
        status: nested(span, 15).map((status) => numbers(status, 3)[0] ?? 0)[0] ?? 0,
        resource,
      })),
    )
  })
}

function attributesOf(bytes: Uint8Array, field: number): ReceivedSpan['attributes'] {
  return Object.fromEntries(
    nested(bytes, field).map((pair) => {
      const value = nested(pair, 2)[0] ?? new Uint8Array()
      const text = nested(value, 1)[0]
      return [textOf(nested(pair, 1)[0]), text === undefined ? (numbers(value, 3)[0] ?? 0) : textOf(text)]
    }),
  )
}

const textOf = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString()

const nested = (bytes: Uint8Array, field: number): Uint8Array[] =>
  fieldsOf(bytes).flatMap(([number, value]) => (number === field && typeof value !== 'number' ? [value] : []))

const numbers = (bytes: Uint8Array, field: number): number[] =>
  fieldsOf(bytes).flatMap(([number, value]) => (number === field && typeof value === 'number' ? [value] : []))

/** The fields of a Protocol Buffers message: numbers as numbers, everything else as its bytes. */
function fieldsOf(bytes: Uint8Array): [number, number | Uint8Array][] {
  const fields: [number, number | Uint8Array][] = []
  let at = 0
  const varint = (): number => {
    let value = 0
    for (let factor = 1; ; factor *= 128) {
      const byte = bytes[at++] ?? 0
      value += (byte & 127) * factor
      if (byte < 128) return value
    }
  }
  const take = (length: number): Uint8Array => {
    at += length
    return bytes.subarray(at - length, at)
  }
  while (at < bytes.length) {
    const tag = varint()
    const type = tag & 7
    const value = type === 0 ? varint() : take(type === 2 ? varint() : type === 1 ? 8 : 4)
    fields.push([Math.floor(tag / 8), value])
  }
  return fields
}
