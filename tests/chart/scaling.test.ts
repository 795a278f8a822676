import { expect, test } from 'bun:test'
import { deployments, existing, ofKind, one, render, type Values } from './helm.ts'

const COMPONENTS = ['backend', 'frontend', 'worker'] as const

test('disruptions take one pod at a time, and one that does not work keeps no node from being emptied', () => {
  const budgets = ofKind(render(existing), 'PodDisruptionBudget')
  expect(budgets.map((budget) => budget.metadata.name)).toEqual([
    'keyward-backend',
    'keyward-frontend',
    'keyward-worker',
  ])
  for (const { spec } of budgets) {
    expect(spec).toMatchObject({ maxUnavailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow' })
  }
  expect(
    ofKind(render({ ...existing, backend: { pdb: { enabled: false } } }), 'PodDisruptionBudget'),
  ).toHaveLength(2)
})

test.each(COMPONENTS)('an autoscaler of the %s leaves replicas to it', (component) => {
  const objects = render({ ...existing, [component]: { replicas: 3, autoscaling: { enabled: true } } })
  expect('replicas' in deployments(objects)[component].spec).toBe(false)
  const { spec } = one(objects, 'HorizontalPodAutoscaler', `keyward-${component}`)
  expect(spec.scaleTargetRef).toEqual({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    name: `keyward-${component}`,
  })
  const fixed = render({ ...existing, [component]: { replicas: 3 } })
  expect(deployments(fixed)[component].spec.replicas).toBe(3)
})

test('the worker scales by the depth of the queue', () => {
  const objects = render({ ...existing, worker: { keda: { enabled: true } } })
  expect('replicas' in deployments(objects).worker.spec).toBe(false)
  const [trigger] = one(objects, 'ScaledObject', 'keyward-worker').spec.triggers
  expect(trigger).toMatchObject({ type: 'postgresql', authenticationRef: { name: 'keyward-worker' } })
  expect(trigger.metadata.query).toContain('from pgboss.job')
  expect(trigger.metadata.host).toBe('keyward-postgres.kw.svc.cluster.local')
  expect(trigger.metadata.sslmode).toBe('disable')
  const { spec } = one(objects, 'TriggerAuthentication', 'keyward-worker')
  expect(spec.secretTargetRef).toEqual([{ parameter: 'password', name: 'mine', key: 'DATABASE_PASSWORD' }])
})

test("the queue is looked at over TLS no weaker than the program's", () => {
  const database = (values: Values) =>
    one(
      render({
        ...existing,
        postgres: { enabled: false },
        externalDatabase: { host: 'db', ...values },
        worker: { keda: { enabled: true } },
      }),
      'ScaledObject',
      'keyward-worker',
    ).spec.triggers[0].metadata.sslmode
  expect(database({})).toBe('prefer')
  expect(database({ sslMode: 'require' })).toBe('require')
  expect(database({ ca: { pem: 'PEM' } })).toBe('verify-full')
})
