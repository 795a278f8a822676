import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eventually } from '../support/eventually.ts'
import { type Account, found } from './support/account.ts'
import { createNamespace, type Namespace } from './support/namespace.ts'
import { type Component, reach, serviceName, statuses } from './support/reach.ts'
import { host, type Release, releaseIn, type Values } from './support/release.ts'
import { inEverydayUse, underLoad } from './support/under-load.ts'
import { memoryOf, podsOf, settled } from './support/workload.ts'

const MINUTES = 60_000
const newHost = 'access.example.net'

let namespace: Namespace
let release: Release
let addresses: Record<Component, string>
let ada: Account
let values: Values = { setup: { open: true } }

beforeAll(async () => {
  namespace = await createNamespace('keyward-restarts')
  release = releaseIn(namespace)
}, MINUTES)
afterAll(() => namespace.remove(), 3 * MINUTES)

const backend = () => ({ url: addresses.backend, host: serviceName('backend') })

test(
  'helm install with nothing prepared gives a running Keyward under Pod Security restricted',
  async () => {
    const start = performance.now()
    await release.install(values)
    const seconds = (performance.now() - start) / 1000
    console.log(`helm install to ready: ${seconds.toFixed(1)} s`)
    addresses = await reach(namespace)
    expect(await statuses(addresses, host)).toEqual({ backend: 200, frontend: 200, worker: 404 })
    const pods = await namespace.list('pods')
    expect(pods.length).toBe(6)
    ada = await found(backend())
    const tests = await release.helm('test', 'keyward', '--timeout', '2m')
    expect(tests).toContain('Succeeded')
  },
  7 * MINUTES,
)

test(
  'a new host restarts all three components without one failed request, and the old host is refused',
  async () => {
    values = { ...values, host: newHost }
    await inEverydayUse('new host', backend(), ada, async () => {
      await release.upgrade(values)
      await settled(namespace)
    })
    expect(await statuses(addresses, newHost)).toEqual({ backend: 200, frontend: 200, worker: 404 })
    expect(await statuses(addresses, host)).toEqual({ backend: 400, frontend: 400, worker: 400 })
  },
  6 * MINUTES,
)

test(
  'three pods of each component, with their secrets and data, and no request is lost on the way',
  async () => {
    const three = { replicas: 3 }
    values = { ...values, backend: three, frontend: three, worker: three }
    await inEverydayUse('scale to 3', backend(), ada, async () => {
      await release.upgrade(values)
      await settled(namespace)
    })
    for (const component of ['backend', 'frontend', 'worker'] as const) {
      expect(await podsOf(namespace, component)).toHaveLength(3)
    }
  },
  6 * MINUTES,
)

test(
  'a pod that is deleted loses no request, and is replaced',
  async () => {
    const [first] = await podsOf(namespace, 'backend')
    const name = first?.metadata.name ?? ''
    await inEverydayUse('pod deleted', backend(), ada, async () => {
      await namespace.kubectl('delete', 'pod', name, '--wait')
      await settled(namespace)
    })
    const names = (await podsOf(namespace, 'backend')).map(({ metadata }) => metadata.name)
    expect(names).toHaveLength(3)
    expect(names).not.toContain(name)
  },
  4 * MINUTES,
)

test(
  'a restart of three pods, one after the other, loses no request',
  async () => {
    await inEverydayUse('restart of three', backend(), ada, async () => {
      await namespace.kubectl('rollout', 'restart', 'deployment')
      await settled(namespace)
    })
  },
  6 * MINUTES,
)

test(
  'the frontend loses no request either',
  async () => {
    const page = { url: addresses.frontend, host: serviceName('frontend'), requests: [{ path: '/' }] }
    await underLoad('frontend restarted', page, async () => {
      await namespace.kubectl('rollout', 'restart', 'deployment/keyward-frontend')
      await settled(namespace)
    })
  },
  6 * MINUTES,
)

test(
  'how much memory each component takes',
  async () => {
    let memory: Record<string, number> = {}
    const every = ['backend', 'frontend', 'worker', 'postgres', 'redis']
    await eventually(
      'the kubelet reports the memory of every component',
      async () => {
        memory = await memoryOf(namespace)
        return every.every((name) => memory[name])
      },
      60,
    )
    for (const [name, mebibytes] of Object.entries(memory)) {
      console.log(`memory of ${name}: ${mebibytes} MiB`)
      expect(mebibytes).toBeWithin(1, 500)
    }
  },
  2 * MINUTES,
)
