import { expect, test } from 'bun:test'
import {
  existing,
  HELMS,
  type HelmVersion,
  host,
  type Manifest,
  ofKind,
  parse,
  podTemplates,
  render,
  renderText,
} from './helm.ts'

const SELECTOR = ['app.kubernetes.io/name', 'app.kubernetes.io/instance', 'app.kubernetes.io/component']
const selecting = ['Service', 'Deployment', 'StatefulSet', 'NetworkPolicy', 'PodDisruptionBudget']

/** The labels by which an object selects pods. */
const selectorOf = ({ spec }: Manifest) =>
  spec.selector?.matchLabels ?? spec.podSelector?.matchLabels ?? spec.selector

test('labels of your own are on every object and pod, once, and in no selector; those that select stay', () => {
  const commonLabels = {
    team: 'a',
    'app.kubernetes.io/part-of': 'platform',
    'app.kubernetes.io/component': 'mine',
  }
  const text = renderText({ host, ...existing, commonLabels })
  const objects = parse(text)
  expect(text).not.toContain('app.kubernetes.io/part-of: keyward')
  expect(text).not.toContain('component: mine')
  const templates = podTemplates(objects)
  expect(templates).toHaveLength(6)
  for (const { metadata } of [...objects, ...templates]) {
    expect(metadata.labels).toMatchObject({ team: 'a', 'app.kubernetes.io/part-of': 'platform' })
  }
  for (const kind of selecting) {
    for (const object of ofKind(objects, kind)) expect(Object.keys(selectorOf(object))).toEqual(SELECTOR)
  }
})

test('the pods of each component take labels of their own, before those of all', () => {
  const [commonLabels, podLabels] = [{ team: 'all' }, { team: 'own' }]
  const own = Object.fromEntries(
    ['backend', 'frontend', 'worker', 'migration', 'postgres', 'redis'].map((name) => [name, { podLabels }]),
  )
  const labels = podTemplates(render({ ...existing, commonLabels, ...own })).map(
    ({ metadata }) => metadata.labels,
  )
  expect(labels.map((of) => of.team)).toEqual(Array(6).fill('own'))
})

/** Values that have a name wherever one can be given. */
const named = (name: string) => ({
  nameOverride: name,
  imagePullSecrets: [name, { name }],
  secrets: { existingSecret: name, secretKey: { key: name }, databasePassword: { key: name } },
  smtp: { host: 'mail', from: 'k@example.org', ca: { existingConfigMap: name, key: name } },
  postgres: { storage: { className: name } },
  redis: { enabled: false },
  externalRedis: { host: 'redis', tls: true, ca: { existingSecret: name, key: name } },
  backend: { priorityClassName: name },
  worker: { keda: { enabled: true, namespace: name } },
  ingress: { enabled: true, className: name, tls: { enabled: true, secretName: name } },
  httpRoute: { enabled: true, parentRefs: [{ name }] },
  serviceMonitor: { enabled: true },
})

const texts =
  /\.(name|namespace|\w+Name|key)$|(\.labels|\.annotations|\.matchLabels|^Service\.spec\.selector)\.[^.]+$/

/** The paths of everything in an object that must be text and is not. */
function notText(node: Manifest, path: string): string[] {
  if (typeof node === 'object' && node !== null)
    return Object.entries(node).flatMap(([key, part]) => notText(part, `${path}.${key.replaceAll('.', '_')}`))
  return texts.test(path) && typeof node !== 'string' ? [`${path}: ${node}`] : []
}

const words = ['12345', 'true', 'null', '0x10', '1e3', '1.5', 'on']
const versions = Object.keys(HELMS) as HelmVersion[]

test.each(versions.flatMap((helm) => words.map((word) => [helm, word] as const)))(
  'with %s, what is called %s stays a text wherever it stands, and selectors find their pods',
  (helm, word) => {
    const namespace = word.replace('.', '-')
    const objects = render(named(word), { helm, release: word, namespace })
    for (const object of objects) {
      expect(notText(object, object.kind)).toEqual([])
      expect(object.metadata).toMatchObject({
        namespace,
        labels: { 'app.kubernetes.io/instance': word, 'app.kubernetes.io/name': word },
      })
    }
    const labels = podTemplates(objects).map(({ metadata }) => metadata.labels)
    for (const { spec } of [...ofKind(objects, 'Deployment'), ...ofKind(objects, 'StatefulSet')])
      expect(spec.template.metadata.labels).toMatchObject(spec.selector.matchLabels)
    for (const service of ofKind(objects, 'Service'))
      expect(
        labels.filter((of) => Object.entries(selectorOf(service)).every(([key, value]) => of[key] === value)),
      ).toBeArrayOfSize(1)
  },
)
