import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import {
  CHART,
  containersOf,
  HELMS,
  type HelmVersion,
  helm,
  type Manifest,
  ofKind,
  parse,
  pods,
  podTemplates,
} from './helm.ts'
import { type Finding, findings } from './kube-score.ts'

type ValueSet = (typeof valueSets)[number]

/** A kind of finding that stands, in the value sets where it is expected, and why. */
type Excuse = { checks: string[]; text?: RegExp; objects?: RegExp; sets?: ValueSet[]; reason: string }

const versions = Object.keys(HELMS) as HelmVersion[]
const valueSets = ['evaluation', 'production', 'gateway'] as const
const everywhere = versions.flatMap((version) => valueSets.map((name) => [version, name] as const))
const valuesFile = (name: ValueSet) => join(import.meta.dir, `values/${name}.yaml`)

const EXCUSES: Excuse[] = [
  {
    checks: ['container-resources'],
    text: /: CPU limit is not set$/,
    reason: 'A limit would leave CPU idle that nobody else wants. Requests share it out; limits are values.',
  },
  {
    checks: ['container-cpu-requests-equal-limits', 'container-memory-requests-equal-limits'],
    reason: 'Pods may use more for a moment than they ask for at all times. Both are values.',
  },
  {
    checks: ['container-resource-requests-equal-limits'],
    reason: 'The sum of the two checks above.',
  },
  {
    checks: ['container-ephemeral-storage-request-and-limit'],
    reason: 'Root file systems are read-only, every emptyDir has a size limit, and the kubelet rotates logs.',
  },
  {
    checks: ['container-image-pull-policy'],
    reason: 'A tag that is never moved, or a digest, names the image: a copy on the node is the right one.',
  },
  {
    checks: ['deployment-replicas'],
    objects: /^Deployment keyward-(backend|frontend)$/,
    sets: ['evaluation', 'gateway'],
    reason: 'One pod each is the default, so that it fits a small cluster. Replicas are values.',
  },
  {
    checks: ['deployment-has-host-podantiaffinity'],
    sets: ['production', 'gateway'],
    reason: 'topologySpreadConstraints, which the check does not know, spread the pods over nodes and zones.',
  },
  {
    checks: ['container-security-context-user-group-id'],
    objects: /^StatefulSet keyward-(postgres|redis)$/,
    text: /low (user|group) ID$/,
    sets: ['evaluation', 'gateway'],
    reason: 'The users of the official images. They are values.',
  },
  {
    checks: ['statefulset-has-servicename'],
    objects: /^StatefulSet keyward-(postgres|redis)$/,
    sets: ['evaluation', 'gateway'],
    reason:
      'It wants a headless Service. Each store is one pod, and the address of its Service outlives the pod.',
  },
]

test.each(versions)('%s is the version that its name says', (version) => {
  expect(helm(version, ['version', '--short']).text).toStartWith(version === 'helm 4' ? 'v4.' : 'v3.')
})

test.each(everywhere)('%s finds nothing to warn of in the chart with the values of %s', (version, name) => {
  const result = helm(version, ['lint', CHART, '--strict', '--values', valuesFile(name)])
  expect(result.text + result.error).not.toMatch(/\[(ERROR|WARNING)\]/)
  expect(result.ok).toBe(true)
})

describe.each(everywhere)('what %s renders from the values of %s', (version, name) => {
  const text = helm(version, [
    'template',
    'keyward',
    CHART,
    '--namespace',
    'kw',
    '--values',
    valuesFile(name),
  ]).text
  const objects = parse(text)

  test('kube-score finds nothing that has no excuse, and every excuse is needed', () => {
    const found = findings(text)
    const excuses = EXCUSES.filter(({ sets }) => sets?.includes(name) ?? true)
    expect(found.filter((finding) => !excuses.some((excuse) => covers(excuse, finding)))).toEqual([])
    expect(excuses.filter((excuse) => !found.some((finding) => covers(excuse, finding)))).toEqual([])
  })

  test('every port that a probe names is one of its container', () => {
    const probes = pods(objects).flatMap(([, pod]) =>
      containersOf(pod).flatMap((container) =>
        ['startupProbe', 'livenessProbe', 'readinessProbe'].flatMap((kind) =>
          container[kind]?.httpGet ? { port: container[kind].httpGet.port, of: portNames([container]) } : [],
        ),
      ),
    )
    expect(probes.length).toBeGreaterThanOrEqual(9)
    for (const { port, of } of probes) expect(of).toContain(port)
  })

  test('every port that a Service leads to is one of the pods that it selects', () => {
    const services = ofKind(objects, 'Service')
    expect(services.length).toBeGreaterThanOrEqual(2)
    for (const { spec } of services) {
      const selected = podTemplates(objects).filter(({ metadata }) => selects(spec.selector, metadata.labels))
      expect(selected).toHaveLength(1)
      for (const { targetPort } of spec.ports) {
        expect(portNames(selected[0].spec.containers)).toContain(targetPort)
      }
    }
  })
})

function covers({ checks, text, objects }: Excuse, finding: Finding): boolean {
  return (
    checks.includes(finding.check) &&
    (text?.test(finding.text) ?? true) &&
    (objects?.test(finding.object) ?? true)
  )
}

const portNames = (containers: Manifest[]): string[] =>
  containers.flatMap((container) => (container.ports ?? []).map((port: Manifest) => port.name))

const selects = (selector: Record<string, string>, labels: Record<string, string>) =>
  Object.entries(selector).every(([key, value]) => labels[key] === value)
