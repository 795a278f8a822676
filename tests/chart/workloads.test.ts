import { describe, expect, test } from 'bun:test'
import { containersOf, deployments, existing, type Manifest, one, pods, render, type Values } from './helm.ts'

const COMPONENTS = ['backend', 'frontend', 'worker'] as const
const everything: Values = {
  ...existing,
  worker: { keda: { enabled: true } },
  ingress: { enabled: true },
  serviceMonitor: { enabled: true },
  smtp: { host: 'mail', from: 'k@example.org' },
}

test('a roll-out takes no pod away before another has been ready for a while', () => {
  for (const { spec } of Object.values(deployments(render(existing)))) {
    expect(spec.strategy).toEqual({
      type: 'RollingUpdate',
      rollingUpdate: { maxUnavailable: 0, maxSurge: 1 },
    })
    expect(spec.minReadySeconds).toBe(5)
  }
})

test('a pod that ends serves on for a while, and its grace is longer than that and the drain', () => {
  for (const { spec } of Object.values(deployments(render(existing)))) {
    const [container] = spec.template.spec.containers
    expect(container.lifecycle).toEqual({ preStop: { sleep: { seconds: 10 } } })
    expect(spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(10 + 20)
  }
})

test('startup, liveness and readiness are three looks; alive and ready are two questions', () => {
  for (const component of COMPONENTS) {
    const [container] = deployments(render(existing))[component].spec.template.spec.containers
    const { startupProbe, livenessProbe, readinessProbe } = container
    const alive = component === 'frontend' ? '/api/health' : '/service/health/'
    const ready = component === 'frontend' ? '/' : '/service/ready/'
    expect(startupProbe.httpGet.path).toBe(alive)
    expect(livenessProbe.httpGet.path).toBe(alive)
    expect(readinessProbe.httpGet.path).toBe(ready)
    expect(startupProbe.periodSeconds * startupProbe.failureThreshold).toBeGreaterThanOrEqual(60)
    expect(startupProbe.periodSeconds).toBeLessThan(livenessProbe.periodSeconds)
    // The backend takes up to two seconds to say that it isn't ready.
    expect(readinessProbe.timeoutSeconds).toBeGreaterThan(2)
  }
})

test('pods are spread; affinity, tolerations and node selectors hold for all, or for one component instead', () => {
  const all = { nodeSelector: { disk: 'ssd' }, tolerations: [{ key: 'all' }], affinity: { nodeAffinity: {} } }
  const objects = render({ ...existing, ...all, backend: { tolerations: [{ key: 'own' }] } })
  for (const [label, pod] of pods(objects)) {
    expect(pod).toMatchObject({ nodeSelector: { disk: 'ssd' }, affinity: { nodeAffinity: {} } })
    expect(pod.tolerations).toEqual([{ key: label === 'Deployment keyward-backend' ? 'own' : 'all' }])
  }
  for (const { spec } of Object.values(deployments(objects))) {
    const keys = spec.template.spec.topologySpreadConstraints.map((rule: Manifest) => rule.topologyKey)
    expect(keys).toEqual(['kubernetes.io/hostname', 'topology.kubernetes.io/zone'])
  }
  const own = [{ maxSkew: 2, topologyKey: 'rack', whenUnsatisfiable: 'DoNotSchedule' }]
  const spread = deployments(render({ ...existing, worker: { topologySpreadConstraints: own } })).worker
  expect(spread.spec.template.spec.topologySpreadConstraints).toEqual(own)
})

describe('every pod, init container and Job', () => {
  const objects = render(everything)
  const all = pods(objects)

  test('there are the three components, the stores, the migration and the pod of helm test', () => {
    expect(all).toHaveLength(7)
  })

  test.each(all)('%s meets Pod Security restricted', (_, pod) => {
    expect(pod.securityContext).toMatchObject({
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
    })
    expect(pod.securityContext.runAsUser).toBeGreaterThan(0)
    for (const container of containersOf(pod)) {
      expect(container.securityContext).toMatchObject({
        allowPrivilegeEscalation: false,
        runAsNonRoot: true,
        capabilities: { drop: ['ALL'] },
        seccompProfile: { type: 'RuntimeDefault' },
      })
    }
    const kinds = pod.volumes.flatMap((volume: Manifest) =>
      Object.keys(volume).filter((key) => key !== 'name'),
    )
    expect(kinds.filter((kind: string) => !['emptyDir', 'projected'].includes(kind))).toEqual([])
    expect([pod.hostNetwork, pod.hostPID, pod.hostIPC]).toEqual([undefined, undefined, undefined])
  })

  test.each(all)('%s has a root file system that is read-only, and a bounded /tmp', (_, pod) => {
    for (const container of containersOf(pod)) {
      expect(container.securityContext.readOnlyRootFilesystem).toBe(true)
      expect(container.volumeMounts.map((mount: Manifest) => mount.mountPath)).toContain('/tmp')
    }
    for (const volume of pod.volumes) if (volume.emptyDir) expect(volume.emptyDir.sizeLimit).toBeString()
  })

  test.each(all)('%s has no token of a service account', (_, pod) => {
    expect(pod.automountServiceAccountToken).toBe(false)
    expect(pod.serviceAccountName).toBe('keyward')
    expect(one(objects, 'ServiceAccount', 'keyward').automountServiceAccountToken).toBe(false)
  })

  test.each(all)(
    '%s hears nothing of other Services by its environment, and states what it needs',
    (_, pod) => {
      expect(pod.enableServiceLinks).toBe(false)
      for (const { resources } of containersOf(pod)) {
        expect(resources).toMatchObject({ requests: { cpu: expect.any(String), memory: expect.any(String) } })
        expect(resources.limits.memory).toBeString()
      }
    },
  )
})

test.each<Values>([
  { openshift: true },
  { runAsUser: null, postgres: { runAsUser: null }, redis: { runAsUser: null } },
])('a platform that chooses the users itself can be left to do so: %j', (values) => {
  const all = pods(render({ ...everything, ...values }))
  for (const [, pod] of all) {
    expect(pod.securityContext).toEqual({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } })
  }
  expect(all).toHaveLength(7)
})

test('extra environment, volumes, mounts, annotations and labels reach their component', () => {
  const objects = render({
    ...existing,
    extraEnv: [{ name: 'TZ', value: 'UTC' }],
    imagePullSecrets: ['one', { name: 'two' }],
    backend: {
      extraEnv: [{ name: 'MINE', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
      extraVolumes: [{ name: 'more', emptyDir: {} }],
      extraVolumeMounts: [{ name: 'more', mountPath: '/more' }],
      annotations: { of: 'deployment' },
      podAnnotations: { of: 'pod' },
      podLabels: { team: 'a', 'app.kubernetes.io/component': 'other' },
    },
  })
  const { metadata, spec } = deployments(objects).backend
  expect(metadata.annotations).toEqual({ of: 'deployment' })
  expect(spec.template.metadata.annotations).toMatchObject({ of: 'pod' })
  expect(spec.template.metadata.labels).toMatchObject({ team: 'a', ...spec.selector.matchLabels })
  const [container] = spec.template.spec.containers
  expect(container.env.map((entry: Manifest) => entry.name)).toEqual(['TZ', 'MINE'])
  expect(container.volumeMounts).toContainEqual({ name: 'more', mountPath: '/more' })
  expect(spec.template.spec.volumes).toContainEqual({ name: 'more', emptyDir: {} })
  for (const [, pod] of pods(objects))
    expect(pod.imagePullSecrets).toEqual([{ name: 'one' }, { name: 'two' }])
})
