import { afterAll, beforeAll, expect, test } from 'bun:test'
import { ask } from './support/account.ts'
import { output } from './support/command.ts'
import { imageValues } from './support/images.ts'
import { createNamespace, type Namespace } from './support/namespace.ts'
import { reach, serviceName, statuses } from './support/reach.ts'
import { chart, host, merge } from './support/release.ts'
import { podsOf, settled } from './support/workload.ts'

const MINUTES = 60_000

let namespace: Namespace

beforeAll(async () => {
  namespace = await createNamespace('keyward-gitops')
}, MINUTES)
afterAll(() => namespace.remove(), 3 * MINUTES)

/** What Argo CD does: it renders without asking the cluster, and applies what came out. */
async function render(values: object = {}): Promise<string> {
  const all = merge(merge(imageValues('test'), { host, secrets: { existingSecret: 'own' } }), { ...values })
  const command = ['helm', 'template', 'keyward', chart, '-n', namespace.name, '--skip-tests', '-f', '-']
  return await output(command, { input: JSON.stringify(all) })
}

const apply = async (manifests: string) =>
  output(['kubectl', '--namespace', namespace.name, 'apply', '-f', '-'], { input: manifests })

test(
  'rendered and applied with a Secret of your own, it runs',
  async () => {
    const secret = (byte: string) => byte.repeat(32)
    await namespace.apply({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'own' },
      stringData: {
        SECRET_KEY: secret('a1'),
        SERVER_SECRET: secret('b2'),
        DATABASE_PASSWORD: secret('c3'),
        REDIS_PASSWORD: secret('d4'),
        SETUP_TOKEN: secret('e5'),
      },
    })
    const manifests = await render()
    expect(await render()).toBe(manifests)
    await apply(manifests)
    await settled(namespace)
    const addresses = await reach(namespace)
    expect(await statuses(addresses, host)).toEqual({ backend: 200, frontend: 200, worker: 404 })
  },
  6 * MINUTES,
)

test(
  'applied once more it changes nothing, and restarts nothing',
  async () => {
    const before = await uids()
    const versions = await resourceVersions()
    await apply(await render())
    expect(await resourceVersions()).toEqual(versions)
    await settled(namespace)
    expect(await uids()).toEqual(before)
  },
  3 * MINUTES,
)

test(
  'another setting restarts what it concerns, and the migration is not in the way',
  async () => {
    await apply(await render({ host: 'access.example.net' }))
    await settled(namespace)
    const addresses = await reach(namespace)
    expect(await statuses(addresses, 'access.example.net')).toEqual({
      backend: 200,
      frontend: 200,
      worker: 404,
    })
    const ready = await ask(
      { url: addresses.backend, host: serviceName('backend') },
      'GET',
      '/service/ready/',
    )
    expect(ready.status).toBe(200)
  },
  6 * MINUTES,
)

async function uids(): Promise<string[]> {
  const components = ['backend', 'frontend', 'worker', 'postgres', 'redis'] as const
  const pods = await Promise.all(components.map((component) => podsOf(namespace, component)))
  return pods.flat().map(({ metadata }) => metadata.uid ?? '')
}

/** Of everything that is applied and that nothing but an apply changes. */
async function resourceVersions(): Promise<string[]> {
  const kinds = 'configmaps,secrets,services,serviceaccounts,networkpolicies,jobs,persistentvolumeclaims'
  const own = await namespace.list(kinds, 'app.kubernetes.io/name=keyward')
  const changing = await namespace.list('deployments,statefulsets,poddisruptionbudgets')
  return [
    ...own.map(({ kind, metadata }) => `${kind} ${metadata.name} ${metadata.resourceVersion}`),
    ...changing.map(({ kind, metadata }) => `${kind} ${metadata.name} generation ${metadata.generation}`),
  ]
}
