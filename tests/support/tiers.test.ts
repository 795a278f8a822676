import { expect, test } from 'bun:test'
import { tierOf, tiers } from './tiers.ts'

test.each([
  ['tests/core/access.test.ts', 'unit'],
  ['tests/architecture.test.ts', 'unit'],
  ['tests/backend/v1/roles.test.ts', 'api'],
  ['tests/redis/kv.test.ts', 'redis'],
  ['tests/containers/image.test.ts', 'containers'],
  ['tests/chart/render.test.ts', 'chart'],
  ['tests/cluster/install.test.ts', 'cluster'],
  ['tests/e2e/sign-in.test.ts', 'browser'],
])('%s belongs to the tier %s', (file, name) => {
  expect(tierOf(file).name).toBe(name)
})

test('a tier that needs a program says which one is missing', () => {
  const path = process.env.PATH
  process.env.PATH = '/nowhere'
  try {
    const missing = Object.fromEntries(tiers.map((tier) => [tier.name, tier.missing()]))
    expect(missing).toMatchObject({
      unit: null,
      api: null,
      redis: 'redis-server is not on the PATH',
      containers: 'docker is not on the PATH',
      chart: 'helm is not on the PATH',
      browser: 'chromium or chromium-browser or google-chrome is not on the PATH',
    })
  } finally {
    process.env.PATH = path
  }
})

test('the cluster tier says what is wrong with KUBECONFIG', () => {
  const cluster = tiers.find((tier) => tier.name === 'cluster')
  const before = process.env.KUBECONFIG
  try {
    delete process.env.KUBECONFIG
    expect(cluster?.missing()).toBe('KUBECONFIG is not set')
    process.env.KUBECONFIG = '/nowhere/kubeconfig'
    expect(cluster?.missing()).toBe('the file that KUBECONFIG names does not exist')
    process.env.KUBECONFIG = import.meta.path
    expect(cluster?.missing()).toBeNull()
  } finally {
    if (before === undefined) delete process.env.KUBECONFIG
    else process.env.KUBECONFIG = before
  }
})
