import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createMetrics } from '../../src/platform/metrics.ts'
import { configOf, deployments, existing, host, type Manifest, ofKind, one, refusal, render } from './helm.ts'

const COMPONENTS = ['backend', 'frontend', 'worker'] as const
const TRACING = { ...existing, tracing: { endpoint: 'http://collector.monitoring:4318' } }

const ingressPorts = (objects: Manifest[], component: string) =>
  (one(objects, 'NetworkPolicy', `keyward-${component}`).spec.ingress ?? []).flatMap((rule: Manifest) =>
    rule.ports.map(({ port }: Manifest) => port),
  )

test('without being asked for there are neither metrics nor traces', () => {
  const objects = render(existing)
  for (const component of COMPONENTS) {
    const names = Object.keys(configOf(objects, component))
    expect(names.filter((name) => /^(METRICS|OTEL)_/.test(name))).toEqual([])
    const [container] = deployments(objects)[component].spec.template.spec.containers
    expect(container.ports).toHaveLength(1)
    expect(ingressPorts(objects, component)).toEqual(component === 'worker' ? [] : [8080])
  }
  for (const service of ofKind(objects, 'Service')) expect(JSON.stringify(service)).not.toContain('metrics')
})

describe.each([
  ['metrics', { metrics: { enabled: true } }],
  ['a ServiceMonitor', { serviceMonitor: { enabled: true } }],
  ['a PodMonitor', { podMonitor: { enabled: true } }],
])('with %s', (_, values) => {
  const objects = render({ ...existing, ...values, ingress: { enabled: true } })

  test('each component has them on a port of their own, which pods of the cluster may reach', () => {
    for (const component of COMPONENTS) {
      expect(configOf(objects, component).METRICS_PORT).toBe('9090')
      const [container] = deployments(objects)[component].spec.template.spec.containers
      expect(container.ports).toContainEqual({ name: 'metrics', containerPort: 9090 })
      expect(container.readinessProbe.httpGet.port).toBe('http')
      const { ingress } = one(objects, 'NetworkPolicy', `keyward-${component}`).spec
      expect(ingress).toContainEqual({
        ports: [{ protocol: 'TCP', port: 9090 }],
        from: [{ namespaceSelector: {} }],
      })
    }
  })

  test('no Ingress leads to that port', () => {
    const [ingress] = ofKind(objects, 'Ingress')
    const ports = ingress.spec.rules.flatMap((rule: Manifest) =>
      rule.http.paths.map((path: Manifest) => path.backend.service.port),
    )
    expect(ports.length).toBeGreaterThan(0)
    for (const port of ports) expect([8080, 80, 'http']).toContain(port.number ?? port.name)
  })
})

test('a PodMonitor of each component selects its pods', () => {
  const objects = render({
    ...existing,
    podMonitor: { enabled: true, interval: '10s', labels: { release: 'p' } },
  })
  for (const component of COMPONENTS) {
    const monitor = one(objects, 'PodMonitor', `keyward-${component}`)
    expect(monitor.metadata.labels).toMatchObject({ release: 'p' })
    expect(monitor.spec.podMetricsEndpoints).toEqual([
      { port: 'metrics', path: '/service/metrics/', interval: '10s' },
    ])
    const { labels } = deployments(objects)[component].spec.template.metadata
    expect(labels).toMatchObject(monitor.spec.selector.matchLabels)
  }
})

test('a Service that the outside reaches has no port of the metrics', () => {
  const values = { ...existing, metrics: { enabled: true, port: 9464 } }
  const ports = (type: string) =>
    one(render({ ...values, backend: { service: { type } } }), 'Service', 'keyward-backend').spec.ports.map(
      ({ name }: Manifest) => name,
    )
  expect(ports('ClusterIP')).toEqual(['http', 'metrics'])
  for (const type of ['LoadBalancer', 'NodePort']) expect(ports(type)).toEqual(['http'])
})

test('who may reach the metrics can be named', () => {
  const metricsFrom = [{ namespaceSelector: { matchLabels: { name: 'monitoring' } } }]
  const objects = render({ ...existing, metrics: { enabled: true }, networkPolicy: { metricsFrom } })
  const { ingress } = one(objects, 'NetworkPolicy', 'keyward-worker').spec
  expect(ingress).toEqual([{ ports: [{ protocol: 'TCP', port: 9090 }], from: metricsFrom }])
})

test('the collector, its headers and its certificate authority reach every component', () => {
  const objects = render({
    ...TRACING,
    tracing: {
      endpoint: 'https://otlp.example.org/in',
      headers: { existingSecret: 'collector', key: 'headers' },
      ca: { pem: 'PEM TEXT' },
      sampler: 'traceidratio',
      samplerArg: '0.1',
      resourceAttributes: { 'deployment.environment.name': 'eu west', team: 'a,b' },
    },
  })
  for (const component of COMPONENTS) {
    expect(configOf(objects, component)).toMatchObject({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'https://otlp.example.org/in',
      OTEL_EXPORTER_OTLP_HEADERS_FILE: '/run/secrets/keyward/OTEL_EXPORTER_OTLP_HEADERS',
      OTEL_EXPORTER_OTLP_CERTIFICATE: '/etc/keyward/ca/tracing.pem',
      OTEL_TRACES_SAMPLER: 'traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.1',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=eu%20west,team=a%2Cb',
    })
    const pod = deployments(objects)[component].spec.template.spec
    expect(JSON.stringify(pod.volumes)).toContain('"path":"tracing.pem"')
    expect(pod.containers[0].volumeMounts.map(({ name }: Manifest) => name)).toContain('ca')
  }
  expect(configOf(objects, 'migrate')).not.toHaveProperty('OTEL_EXPORTER_OTLP_ENDPOINT')
})

test.each([
  ['http://collector.monitoring:4318', 4318],
  ['https://otlp.example.org/in', 443],
  ['http://collector', 80],
  ['http://[fd00::1]:4318', 4318],
])('the collector %s is reached on port %i, at the peers that are named', (endpoint, port) => {
  const collector = [{ namespaceSelector: {} }]
  const objects = render({ ...TRACING, tracing: { endpoint }, networkPolicy: { collector } })
  for (const component of COMPONENTS) {
    const { egress } = one(objects, 'NetworkPolicy', `keyward-${component}`).spec
    expect(egress).toContainEqual({ ports: [{ protocol: 'TCP', port }], to: collector })
  }
})

test.each([
  [{ serviceMonitor: { enabled: true }, podMonitor: { enabled: true } }, 'scraped twice'],
  [
    { serviceMonitor: { enabled: true }, backend: { service: { type: 'LoadBalancer' } } },
    'would open the metrics to the outside',
  ],
  [{ tracing: { headers: { value: 'a=b' } } }, 'need tracing.endpoint'],
  [{ metrics: { port: 8080 } }, 'metrics'],
  [{ tracing: { endpoint: 'collector:4317' } }, 'endpoint'],
  [{ tracing: { endpoint: 'http://user:needle@collector' } }, 'endpoint'],
])('%j is refused', (values, sentence) => {
  expect(refusal({ ...existing, host, ...values })).toContain(sentence)
})

test('every metric of the dashboard is one that Keyward has', () => {
  const dashboard = readFileSync(join(import.meta.dir, '../../chart/files/dashboard.json'), 'utf8')
  const shown = new Set(dashboard.match(/keyward_[a-z_]+/g))
  const metrics = createMetrics()
  metrics.observeResponse('GET', '/', 200, 1)
  const queue = ['keyward_queue_jobs', 'keyward_queue_oldest_job_seconds']
  const known = new Set([...(metrics.text().match(/^keyward_[a-z_]+/gm) ?? []), ...queue])
  expect([...shown].filter((name) => !known.has(name))).toEqual([])
  expect(shown.size).toBeGreaterThan(4)
})
