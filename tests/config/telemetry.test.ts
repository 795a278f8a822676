import { expect, test } from 'bun:test'
import { readConfig } from '../../src/config.ts'
import { backendConfig, backendFaults, embeddedVariables } from '../support/variables.ts'

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }
const tracing = (variables: Record<string, string>) => backendConfig({ ...ENDPOINT, ...variables }).tracing

test('without a collector there are no traces, whatever else is set', () => {
  expect(backendConfig({ OTEL_SERVICE_NAME: 'x', OTEL_TRACES_SAMPLER: 'always_on' }).tracing).toBeNull()
})

test('a collector alone is enough', () => {
  expect(tracing({})).toEqual({
    url: 'http://collector:4318/v1/traces',
    headers: {},
    ca: null,
    serviceName: null,
    attributes: {},
    sampler: { name: 'parentbased_always_on', ratio: 1 },
  })
})

test.each([
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://c.example.org/otlp/' }, 'https://c.example.org/otlp/v1/traces'],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://c.example.org/in?x=1' }, 'https://c.example.org/in?x=1'],
])('%j sends traces to %s', (variables: Record<string, string>, url) => {
  expect(tracing(variables)?.url).toBe(url)
})

test.each([{ OTEL_SDK_DISABLED: 'true' }, { OTEL_TRACES_EXPORTER: 'none' }])('%j is off', (variables) => {
  expect(tracing(variables as Record<string, string>)).toBeNull()
})

test('headers and attributes are pairs with percent-encoded values', () => {
  const told = tracing({
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20a%2Cb%3D, x-tenant = one',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=eu,team=a%20b',
    OTEL_SERVICE_NAME: 'access',
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.25',
  })
  expect(told?.headers).toEqual({ authorization: 'Bearer a,b=', 'x-tenant': 'one' })
  expect(told?.attributes).toEqual({ 'deployment.environment.name': 'eu', team: 'a b' })
  expect(told?.serviceName).toBe('access')
  expect(told?.sampler).toEqual({ name: 'traceidratio', ratio: 0.25 })
})

test.each([
  [
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317' },
    'OTEL_EXPORTER_OTLP_ENDPOINT is "collector:4317"; it must be',
  ],
  [
    { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'ftp://c' },
    'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT is "ftp://c"; it must be',
  ],
  [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, 'it must be http/protobuf.'],
  [{ OTEL_TRACES_SAMPLER: 'jaeger_remote' }, 'OTEL_TRACES_SAMPLER is "jaeger_remote"'],
  [{ OTEL_TRACES_SAMPLER_ARG: '1.5' }, 'OTEL_TRACES_SAMPLER_ARG is "1.5"; it must be a share from 0 to 1'],
  [{ OTEL_TRACES_SAMPLER_ARG: 'half' }, 'a share from 0 to 1'],
  [{ OTEL_RESOURCE_ATTRIBUTES: 'nothing' }, 'OTEL_RESOURCE_ATTRIBUTES must be pairs such as name=value'],
  [{ OTEL_EXPORTER_OTLP_CERTIFICATE: '/no/such/file' }, 'OTEL_EXPORTER_OTLP_CERTIFICATE'],
  [{ METRICS_PORT: '8080' }, 'METRICS_PORT must be another port than PORT'],
  [{ METRICS_PORT: '0' }, 'METRICS_PORT is "0"; it must be a whole number from 1 to 65535.'],
])('%j is refused in a sentence', (variables, sentence) => {
  expect(backendFaults({ ...ENDPOINT, ...variables } as Record<string, string>)).toEqual([
    expect.stringContaining(sentence),
  ])
})

test('no fault prints what a header or an address may hold of a secret', () => {
  const faults = backendFaults({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://user:needle@collector:4318',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=%needle',
  })
  expect(faults).toHaveLength(2)
  expect(faults.join()).not.toContain('needle')
  expect(backendFaults({ ...ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS: 'a=b%0Aneedle' }).join()).not.toContain(
    'needle',
  )
})

test('metrics have no port unless they are given one', () => {
  expect(readConfig('serve', embeddedVariables).metricsPort).toBeNull()
  expect(backendConfig({ METRICS_PORT: '9090' }).metricsPort).toBe(9090)
})
