import { describe, expect, test } from 'bun:test'
import packageJson from '../../package.json' with { type: 'json' }
import {
  configOf,
  deployments,
  existing,
  helm,
  type Manifest,
  ofKind,
  one,
  parse,
  pods,
  render,
  type Values,
} from './helm.ts'

const everything: Values = {
  ...existing,
  worker: { keda: { enabled: true } },
  backend: { autoscaling: { enabled: true } },
  ingress: { enabled: true, tls: { enabled: true } },
  serviceMonitor: { enabled: true },
  dashboard: { enabled: true },
}

describe('any release name works, and any fullnameOverride of up to 63 characters', () => {
  test.each<[string, Values, string]>([
    ['keyward', {}, 'keyward'],
    ['prod', {}, 'prod-keyward'],
    ['my-keyward-2', {}, 'my-keyward-2'],
    ['7up', {}, 'k-7up-keyward'],
    ['team.a', {}, 'team-a-keyward'],
    ['x'.repeat(53), {}, `${'x'.repeat(53)}-keyward`],
    ['keyward', { nameOverride: 'access' }, 'keyward-access'],
    ['keyward', { fullnameOverride: 'x'.repeat(63) }, 'x'.repeat(63)],
  ])('%s %j', (release, values, fullname) => {
    const objects = render({ ...everything, ...values }, { release })
    expect(one(objects, 'Ingress', fullname)).toBeDefined()
    for (const object of objects) {
      const { name, labels } = object.metadata
      // Beyond 52 a StatefulSet's pods can't be labelled; a Service begins with a letter and has no dot.
      expect(name.length).toBeLessThanOrEqual(/Ingress|HTTPRoute|ServiceAccount/.test(object.kind) ? 63 : 52)
      expect(name).toMatch(/^[a-z]([a-z0-9-]*[a-z0-9])?$/)
      for (const label of Object.values(labels)) expect(label).toMatch(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/)
    }
    const names = objects.map((object) => `${object.kind} ${object.metadata.name}`)
    expect(new Set(names).size).toBe(names.length)
    refersToItself(objects)
  })

  test('two long names that begin alike stay apart', () => {
    const of = (end: string) =>
      Object.values(deployments(render(existing, { release: `${'x'.repeat(52)}${end}` })))
    expect(of('a').map((object) => object.metadata.name)).not.toEqual(
      of('b').map((object) => object.metadata.name),
    )
  })
})

/** Every host, ConfigMap, Service and Deployment that an object names is there under that name. */
function refersToItself(objects: Manifest[]): void {
  const has = (kind: string, name: string) => one(objects, kind, name) !== undefined
  const backend = deployments(objects).backend.metadata.name
  const config = configOf(objects, 'backend', backend.replace(/-backend$/, ''))
  expect(has('Service', config.DATABASE_HOST ?? '') && has('Service', config.REDIS_HOST ?? '')).toBe(true)
  for (const [, pod] of pods(objects)) {
    expect(has('ServiceAccount', pod.serviceAccountName)).toBe(true)
    for (const container of [...(pod.initContainers ?? []), ...pod.containers]) {
      for (const source of container.envFrom ?? [])
        expect(has('ConfigMap', source.configMapRef.name)).toBe(true)
      const url = /http:\/\/([^:]+):80\//.exec(container.args?.join(' ') ?? '')?.[1]
      if (url) expect(has('Service', url)).toBe(true)
    }
  }
  for (const { spec } of ofKind(objects, 'HorizontalPodAutoscaler'))
    expect(has('Deployment', spec.scaleTargetRef.name)).toBe(true)
  for (const { spec } of ofKind(objects, 'ScaledObject'))
    expect(has('Deployment', spec.scaleTargetRef.name)).toBe(true)
}

test("the image is pinned: the chart's appVersion, which is Keyward's version, or a tag or a digest", () => {
  const chart = parse(helm('helm 4', ['show', 'chart', 'chart']).text)[0]
  expect(chart).toMatchObject({ apiVersion: 'v2', name: 'keyward', appVersion: packageJson.version })
  const image = (values: Values) =>
    deployments(render({ ...existing, image: values })).worker.spec.template.spec.containers[0].image
  expect(image({})).toBe(`ghcr.io/keyward/keyward:${packageJson.version}`)
  expect(image({ repository: 'localhost:5000/keyward', tag: 'dev' })).toBe('localhost:5000/keyward:dev')
  const digest = `sha256:${'ab'.repeat(32)}`
  expect(image({ tag: 'dev', digest })).toBe(`ghcr.io/keyward/keyward@${digest}`)
  for (const [, pod] of pods(render(existing))) {
    for (const container of pod.containers) expect(container.image).not.toMatch(/:latest$|^[^:]+$/)
  }
})

test('a ServiceMonitor asks for the metrics, a dashboard shows them, and further objects are templates', () => {
  const objects = render({
    ...existing,
    serviceMonitor: { enabled: true, interval: '15s', labels: { release: 'prometheus' } },
    dashboard: { enabled: true },
    extraObjects: [
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: '{{ .Release.Name }}-one' } },
      'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ include "keyward.fullname" . }}-two\n',
    ],
  })
  const monitor = one(objects, 'ServiceMonitor', 'keyward-backend')
  expect(monitor.metadata.labels).toMatchObject({ release: 'prometheus' })
  expect(monitor.spec.endpoints).toEqual([{ port: 'metrics', path: '/service/metrics/', interval: '15s' }])
  const service = one(objects, 'Service', 'keyward-backend')
  expect(service.metadata.labels).toMatchObject(monitor.spec.selector.matchLabels)
  expect(service.spec.ports[0].name).toBe('http')
  const dashboard = JSON.parse(one(objects, 'ConfigMap', 'keyward-dashboard').data['keyward.json'])
  const metrics = [
    'keyward_http_requests_total',
    'keyward_http_request_duration_seconds_bucket',
    'keyward_sign_ins_total',
  ]
  for (const metric of metrics) expect(JSON.stringify(dashboard.panels)).toContain(metric)
  expect([
    one(objects, 'ConfigMap', 'keyward-one'),
    one(objects, 'ConfigMap', 'keyward-two'),
  ]).toBeArrayOfSize(2)
})
