import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import {
  deployments,
  existing,
  type Manifest,
  ofKind,
  pods,
  render,
  renderText,
  type Values,
} from './helm.ts'

const jobOf = (values: Values = {}): Manifest => {
  const jobs = ofKind(render({ ...existing, ...values }), 'Job')
  if (jobs.length !== 1) throw new Error(`${jobs.length} Jobs.`)
  return jobs[0]
}
const nameOf = (values: Values = {}): string => jobOf(values).metadata.name

test('the migration is a plain Job without a hook, named by a hash of its own pod template', () => {
  const job = jobOf()
  expect(job.metadata.annotations).toBeUndefined()
  expect(job.metadata.name).toMatch(/^keyward-migrate-[0-9a-f]{10}$/)
  const changes: Values[] = [
    { image: { tag: '9.9.9' } },
    { postgres: { enabled: false }, externalDatabase: { host: 'db' } },
    { nameOverride: 'other', fullnameOverride: 'keyward' },
    { runAsUser: 1234 },
    { migration: { resources: { requests: { cpu: '1' } } } },
    { migration: { restartToken: 'again' } },
  ]
  const names = changes.map(nameOf)
  expect(new Set([nameOf(), ...names]).size).toBe(changes.length + 1)
})

test('whatever does not change its pod template leaves its name: no field that is immutable changes under one', () => {
  const templates = new Map<string, string>()
  const values: Values[] = [
    {},
    { host: 'other.example.org' },
    { migration: { backoffLimit: 1, activeDeadlineSeconds: 60, ttlSecondsAfterFinished: 5 } },
    {
      smtp: { host: 'mail', from: 'k@example.org' },
      backend: { replicas: 3 },
      commonAnnotations: { a: 'b' },
    },
    { commonLabels: { team: 'a' } },
    { image: { tag: '9.9.9' } },
    { tolerations: [{ key: 'spot', operator: 'Exists' }] },
  ]
  for (const value of values) {
    const job = jobOf({ host: 'keyward.example.org', ...value })
    const template = createHash('sha256').update(JSON.stringify(job.spec.template)).digest('hex')
    expect(templates.get(job.metadata.name) ?? template).toBe(template)
    templates.set(job.metadata.name, template)
  }
  expect(templates.size).toBe(4)
})

test('no deadlock with --wait: nothing that a component waits for is a hook, or waits for the component', () => {
  const objects = render(existing)
  const hooks = objects.filter((object) => object.metadata.annotations?.['helm.sh/hook'])
  expect(hooks.map((object) => object.metadata.annotations['helm.sh/hook'])).toEqual(['test'])
  const waiting = pods(objects).filter(([, pod]) => pod.initContainers)
  expect(waiting.map(([label]) => label).sort()).toEqual([
    'Deployment keyward-backend',
    'Deployment keyward-frontend',
    'Deployment keyward-worker',
  ])
})

test('a roll-out whose pods wait for a long migration is not given up before the migration is', () => {
  const values = { ...existing, migration: { activeDeadlineSeconds: 7200 } }
  for (const { spec } of Object.values(deployments(render(values))))
    expect(spec.progressDeadlineSeconds).toBe(7800)
})

test('the gate asks for the schema that its own image needs: by the database, for the frontend by the backend', () => {
  const { backend, frontend, worker } = deployments(render({ image: { tag: '9.9.9' } }))
  const gate = (deployment: Manifest) => deployment.spec.template.spec.initContainers[0]
  for (const deployment of [backend, frontend, worker]) {
    expect(deployment.spec.template.spec.initContainers).toHaveLength(1)
    expect(gate(deployment).image).toBe(deployment.spec.template.spec.containers[0].image)
  }
  for (const deployment of [backend, worker]) {
    expect(gate(deployment).args).toEqual(['migrate', '--wait', '--timeout', '300'])
    expect(gate(deployment).envFrom).toEqual([{ configMapRef: { name: 'keyward-migrate' } }])
  }
  const via = ['--via', 'http://keyward-backend:80/service/ready/']
  expect(gate(frontend).args).toEqual(['migrate', '--wait', ...via, '--timeout', '300'])
  expect(gate(frontend).envFrom).toBeUndefined()
})

test('the gate mounts the password of the database and no other secret; the frontend mounts none at all', () => {
  const { backend, frontend, worker } = deployments(render({ secrets: { existingSecret: 'secrets' } }))
  for (const deployment of [backend, worker]) {
    const pod = deployment.spec.template.spec
    const mounts = pod.initContainers[0].volumeMounts.map((mount: Manifest) => mount.name)
    expect(mounts).toEqual(['tmp', 'database-secret'])
    const volume = pod.volumes.find((candidate: Manifest) => candidate.name === 'database-secret')
    const items = [{ key: 'DATABASE_PASSWORD', path: 'DATABASE_PASSWORD' }]
    expect(volume.projected.sources).toEqual([{ secret: { name: 'secrets', items } }])
  }
  expect(frontend.spec.template.spec.volumes.map((volume: Manifest) => volume.name)).toEqual(['tmp'])
})

test('a rolled-back image gets the Job that it had, and the same gate', () => {
  const [old, young] = [{ image: { tag: '1.0.0' } }, { image: { tag: '1.1.0' } }]
  expect(nameOf(old)).not.toBe(nameOf(young))
  expect(jobOf(old)).toEqual(jobOf(old))
  expect(jobOf(old).spec.template.spec.containers[0]).toMatchObject({ args: ['migrate'] })
})

test('a failed Job keeps its logs: its pod stays, and so does the Job until the next migration', () => {
  const { spec } = jobOf()
  expect(spec.template.spec.restartPolicy).toBe('Never')
  expect(spec.ttlSecondsAfterFinished).toBeUndefined()
  expect(spec.activeDeadlineSeconds).toBe(1800)
  expect(jobOf({ migration: { ttlSecondsAfterFinished: 0 } }).spec.ttlSecondsAfterFinished).toBe(0)
})

test('configuration is never a hook, whatever stores are used', () => {
  const external = {
    postgres: { enabled: false },
    externalDatabase: { host: 'db' },
    redis: { enabled: false },
    externalRedis: { host: 'redis' },
  }
  for (const values of [{}, { ...existing, ...external }]) {
    const objects = render(values).filter((object) => /ConfigMap|Secret|Job|Service/.test(object.kind))
    expect(objects.length).toBeGreaterThan(6)
    for (const object of objects) expect(object.metadata.annotations?.['helm.sh/hook']).toBeUndefined()
  }
})

test('an upgrade renders what an installation does; that both work is for the cluster to show', () => {
  const values = { host: 'keyward.example.org', ...existing }
  expect(renderText(values, { arguments: ['--is-upgrade'] })).toBe(renderText(values))
})
