import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createNamespace, type Namespace } from './support/namespace.ts'
import { reach, statuses } from './support/reach.ts'
import { host, releaseIn } from './support/release.ts'
import { settled } from './support/workload.ts'

const MINUTES = 60_000

let namespace: Namespace

beforeAll(async () => {
  namespace = await createNamespace('keyward-helm3')
}, MINUTES)
afterAll(() => namespace.remove(), 3 * MINUTES)

test(
  'Helm 3 installs, upgrades and rolls back like Helm 4',
  async () => {
    const release = releaseIn(namespace, { helm: 'helm3' })
    await release.install()
    const { data } = await namespace.get('secret/keyward-secrets')
    const addresses = await reach(namespace)
    expect(await statuses(addresses, host)).toEqual({ backend: 200, frontend: 200, worker: 404 })
    await release.upgrade({ host: 'access.example.net' })
    await settled(namespace)
    expect(await statuses(addresses, 'access.example.net')).toEqual({
      backend: 200,
      frontend: 200,
      worker: 404,
    })
    expect(await statuses(addresses, host)).toEqual({ backend: 400, frontend: 400, worker: 400 })
    await release.rollback()
    await settled(namespace)
    expect(await statuses(addresses, host)).toEqual({ backend: 200, frontend: 200, worker: 404 })
    expect((await namespace.get('secret/keyward-secrets')).data).toEqual(data)
  },
  12 * MINUTES,
)
