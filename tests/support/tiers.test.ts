import { expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tierOf, tiers } from './tiers.ts'

test.each([
  ['tests/core/access.test.ts', 'unit'],
  ['tests/architecture.test.ts', 'unit'],
  ['tests/backend/v1/roles.test.ts', 'api'],
  ['tests/redis/kv.test.ts', 'redis'],
  ['tests/containers/image.test.ts', 'containers'],
  ['tests/chart/render.test.ts', 'chart'],
  ['tests/cluster/install.test.ts', 'cluster'],
  ['tests/clients/tokens.test.ts', 'clients'],
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

test('the chart tier asks for Helm 4, Helm 3 and kube-score, by name or where a variable says', () => {
  const chart = tiers.find((tier) => tier.name === 'chart')
  const { PATH, KEYWARD_TEST_HELM, KEYWARD_TEST_HELM3, KEYWARD_TEST_KUBE_SCORE } = process.env
  const folder = mkdtempSync(join(tmpdir(), 'keyward-tiers-'))
  try {
    process.env.PATH = folder
    delete process.env.KEYWARD_TEST_HELM
    delete process.env.KEYWARD_TEST_HELM3
    delete process.env.KEYWARD_TEST_KUBE_SCORE
    writeFileSync(join(folder, 'helm'), '#!/bin/sh\nexit 0\n', { mode: 0o755 })
    expect(chart?.missing()).toBe('helm3 is not on the PATH')
    process.env.KEYWARD_TEST_HELM3 = join(folder, 'helm')
    expect(chart?.missing()).toBe('kube-score is not on the PATH')
    process.env.KEYWARD_TEST_KUBE_SCORE = join(folder, 'helm')
    expect(chart?.missing()).toBeNull()
    process.env.KEYWARD_TEST_HELM = '/nowhere/helm'
    expect(chart?.missing()).toBe('/nowhere/helm is not on the PATH')
  } finally {
    rmSync(folder, { recursive: true })
    restore({ PATH, KEYWARD_TEST_HELM, KEYWARD_TEST_HELM3, KEYWARD_TEST_KUBE_SCORE })
  }
})

test('the clients tier asks for each client by its variable', () => {
  const clients = tiers.find((tier) => tier.name === 'clients')
  const { PATH, KEYWARD_TEST_PHASE_CLI, KEYWARD_TEST_PHASE_PYTHON, KEYWARD_TEST_PHASE_NODE } = process.env
  const folder = mkdtempSync(join(tmpdir(), 'keyward-tiers-'))
  const program = (name: string) => {
    writeFileSync(join(folder, name), '#!/bin/sh\nexit 0\n', { mode: 0o755 })
    return join(folder, name)
  }
  try {
    delete process.env.KEYWARD_TEST_PHASE_CLI
    delete process.env.KEYWARD_TEST_PHASE_PYTHON
    delete process.env.KEYWARD_TEST_PHASE_NODE
    expect(clients?.missing()).toStartWith('KEYWARD_TEST_PHASE_CLI does not name')
    process.env.KEYWARD_TEST_PHASE_CLI = '/nowhere/phase'
    expect(clients?.missing()).toStartWith('KEYWARD_TEST_PHASE_PYTHON does not name')
    process.env.KEYWARD_TEST_PHASE_PYTHON = program('python')
    expect(clients?.missing()).toStartWith('KEYWARD_TEST_PHASE_NODE does not name')
    process.env.KEYWARD_TEST_PHASE_NODE = folder
    expect(clients?.missing()).toBe(`${folder} does not have @phase.dev/phase-node`)
    mkdirSync(join(folder, 'node_modules/@phase.dev/phase-node'), { recursive: true })
    expect(clients?.missing()).toBe('/nowhere/phase is not on the PATH')
    process.env.KEYWARD_TEST_PHASE_CLI = program('phase')
    process.env.PATH = '/nowhere'
    expect(clients?.missing()).toBe('node is not on the PATH')
    for (const name of ['node', 'curl', 'jq', 'chromium']) program(name)
    process.env.PATH = folder
    expect(clients?.missing()).toBeNull()
  } finally {
    rmSync(folder, { recursive: true })
    restore({ PATH, KEYWARD_TEST_PHASE_CLI, KEYWARD_TEST_PHASE_PYTHON, KEYWARD_TEST_PHASE_NODE })
  }
})

test('the cluster tier says what is wrong with KUBECONFIG', () => {
  const cluster = tiers.find((tier) => tier.name === 'cluster')
  const { KUBECONFIG, PATH } = process.env
  const folder = mkdtempSync(join(tmpdir(), 'keyward-tiers-'))
  try {
    delete process.env.KUBECONFIG
    expect(cluster?.missing()).toBe('KUBECONFIG is not set')
    process.env.KUBECONFIG = '/nowhere/kubeconfig'
    expect(cluster?.missing()).toBe('the file that KUBECONFIG names does not exist')
    process.env.KUBECONFIG = import.meta.path
    process.env.PATH = '/nowhere'
    expect(cluster?.missing()).toBe('kubectl is not on the PATH')
    writeFileSync(join(folder, 'kubectl'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
    process.env.PATH = folder
    expect(cluster?.missing()).toBe('the cluster that KUBECONFIG names does not answer')
  } finally {
    rmSync(folder, { recursive: true })
    restore({ KUBECONFIG, PATH })
  }
})

test('the cluster tier asks for a way to bring images to the cluster', () => {
  const cluster = tiers.find((tier) => tier.name === 'cluster')
  const { KUBECONFIG, PATH, KEYWARD_TEST_IMAGE, KEYWARD_TEST_IMAGE_LOAD } = process.env
  const folder = mkdtempSync(join(tmpdir(), 'keyward-tiers-'))
  try {
    for (const name of ['kubectl', 'helm', 'helm3']) {
      writeFileSync(join(folder, name), '#!/bin/sh\nexit 0\n', { mode: 0o755 })
    }
    process.env.PATH = folder
    process.env.KUBECONFIG = import.meta.path
    delete process.env.KEYWARD_TEST_IMAGE
    delete process.env.KEYWARD_TEST_IMAGE_LOAD
    expect(cluster?.missing()).toStartWith('KEYWARD_TEST_IMAGE_LOAD names no command')
    process.env.KEYWARD_TEST_IMAGE = 'registry.example/keyward:1'
    expect(cluster?.missing()).toBeNull()
    process.env.KEYWARD_TEST_IMAGE_LOAD = 'load'
    expect(cluster?.missing()).toBe('docker is not on the PATH')
  } finally {
    rmSync(folder, { recursive: true })
    restore({ KUBECONFIG, PATH, KEYWARD_TEST_IMAGE, KEYWARD_TEST_IMAGE_LOAD })
  }
})

function restore(variables: Record<string, string | undefined>): void {
  for (const [name, value] of Object.entries(variables)) {
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  }
}
