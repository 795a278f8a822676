import type { SamplerName, TracingConfig } from '../platform/telemetry/tracing-config.ts'
import { readCertificates } from './certificates.ts'
import type { PlainName, Settings } from './settings.ts'

const SAMPLERS = [
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
  'always_on',
  'always_off',
  'traceidratio',
] as const satisfies readonly SamplerName[]

/** The port that has the metrics alone; null where they are nowhere. */
export function readMetricsPort(settings: Settings, port: number): number | null {
  const metricsPort = settings.port('METRICS_PORT')
  if (metricsPort === port) {
    settings.fault('METRICS_PORT must be another port than PORT, which others than the operator may reach.')
  }
  return metricsPort
}

/** The standard variables of OpenTelemetry: where traces are sent to, null for nowhere. */
export function readTracing(settings: Settings): TracingConfig | null {
  const url = readUrl(settings)
  const tracing: TracingConfig = {
    url: url ?? '',
    headers: readPairs(settings, 'OTEL_EXPORTER_OTLP_HEADERS', settings.secret('OTEL_EXPORTER_OTLP_HEADERS')),
    ca: readCertificates(settings, 'OTEL_EXPORTER_OTLP_CERTIFICATE'),
    serviceName: settings.text('OTEL_SERVICE_NAME'),
    attributes: readPairs(settings, 'OTEL_RESOURCE_ATTRIBUTES', settings.text('OTEL_RESOURCE_ATTRIBUTES')),
    sampler: {
      name: settings.word('OTEL_TRACES_SAMPLER', SAMPLERS) ?? 'parentbased_always_on',
      ratio: readRatio(settings),
    },
  }
  settings.word('OTEL_EXPORTER_OTLP_PROTOCOL', ['http/protobuf'])
  const isOff = settings.word('OTEL_TRACES_EXPORTER', ['otlp', 'none']) === 'none'
  if (settings.boolean('OTEL_SDK_DISABLED') || isOff || url === null) return null
  return tracing
}

/** The address for traces alone is used as it is; the other one is for all that OpenTelemetry sends. */
function readUrl(settings: Settings): string | null {
  const own = readAddress(settings, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT')
  const common = readAddress(settings, 'OTEL_EXPORTER_OTLP_ENDPOINT')
  if (own !== null || common === null) return own?.href ?? null
  common.pathname = `${common.pathname.replace(/\/$/, '')}/v1/traces`
  return common.href
}

function readAddress(settings: Settings, name: PlainName): URL | null {
  const value = settings.text(name)
  if (value === null) return null
  const url = URL.parse(value)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    settings.reject(name, 'the address of a collector of OTLP over HTTP, such as http://collector:4318')
    return null
  }
  if (url.username === '' && url.password === '') return url
  settings.fault(`${name} has a user name or a password in it: send them by OTEL_EXPORTER_OTLP_HEADERS.`)
  return null
}

function readRatio(settings: Settings): number {
  const value = settings.text('OTEL_TRACES_SAMPLER_ARG') ?? '1'
  const ratio = /^[0-9]*\.?[0-9]+$/.test(value) ? Number(value) : Number.NaN
  if (ratio >= 0 && ratio <= 1) return ratio
  settings.reject('OTEL_TRACES_SAMPLER_ARG', 'a share from 0 to 1, such as 0.1')
  return 1
}

/** `name=value,name=value`, the values percent-encoded. */
function readPairs(
  settings: Settings,
  name: PlainName | 'OTEL_EXPORTER_OTLP_HEADERS',
  text: string | null,
): Record<string, string> {
  const entries = (text ?? '').split(',').filter((entry) => entry.trim() !== '')
  const pairs = entries.map((entry) => {
    const [, key = '', value = ''] = /^\s*([\w.!#$%&'*+^`|~-]+)\s*=\s*([^,]*?)\s*$/.exec(entry) ?? []
    return [key, decoded(value)] as const
  })
  if (pairs.every(([key, value]) => key !== '' && value !== null && !/\p{Cc}/u.test(value))) {
    return Object.fromEntries(pairs.map(([key, value]) => [key, value ?? '']))
  }
  settings.fault(`${name} must be pairs such as name=value, comma-separated, with percent-encoded values.`)
  return {}
}

function decoded(value: string): string | null {
  try {
    return decodeURIComponent(value)
  } catch {
    return null
  }
}
