import { afterAll, beforeAll, expect, test } from 'bun:test'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Account, ask, found } from './support/account.ts'
import { output } from './support/command.ts'
import { imageName, imageValues } from './support/images.ts'
import { createNamespace, type KubernetesObject, type Namespace } from './support/namespace.ts'
import { type Component, reach, serviceName } from './support/reach.ts'
import { chart, type Release, releaseIn } from './support/release.ts'
import { inEverydayUse } from './support/under-load.ts'
import { isReady, podsOf, settled } from './support/workload.ts'

const MINUTES = 60_000
const components: readonly Component[] = ['backend', 'frontend', 'worker']
const open = { setup: { open: true } }
const broken = { ...open, ...imageValues('broken'), migration: { backoffLimit: 0 } }

let namespace: Namespace
let release: Release
let folder: string
let addresses: Record<Component, string>
let ada: Account
let schema: number

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keyward-chart-'))
  namespace = await createNamespace('keyward-migrations')
  release = releaseIn(namespace)
}, MINUTES)
afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
  await namespace.remove()
}, 3 * MINUTES)

const backend = () => ({ url: addresses.backend, host: serviceName('backend') })
const schemaVersion = async () => Number((await ask(backend(), 'GET', '/service/ready/')).body.schema)

test(
  'a release of an older version of the chart runs',
  async () => {
    const older = await packageChart('0.0.1')
    await releaseIn(namespace, { chart: older }).install(open)
    addresses = await reach(namespace)
    ada = await found(backend())
    schema = await schemaVersion()
    expect(schema).toBeGreaterThanOrEqual(2)
  },
  6 * MINUTES,
)

test(
  'an upgrade to this chart and an image with a new migration loses no request',
  async () => {
    await inEverydayUse('upgrade with a migration', backend(), ada, async () => {
      await release.upgrade({ ...open, ...imageValues('next') })
      await settled(namespace)
    })
    expect(await schemaVersion()).toBe(schema + 1)
    expect(await imagesInUse()).toEqual([imageName('next')])
  },
  6 * MINUTES,
)

test(
  'a rollback to the older image runs on the newer schema, and loses no request',
  async () => {
    await inEverydayUse('rollback', backend(), ada, async () => {
      await release.rollback()
      await settled(namespace)
    })
    expect(await schemaVersion()).toBe(schema + 1)
    expect(await imagesInUse()).toEqual([imageName('test')])
    expect(await release.helm('get', 'metadata', 'keyward', '-o', 'json')).toContain('"version":"0.0.1"')
  },
  6 * MINUTES,
)

test(
  'an upgrade whose migration fails is put back by --rollback-on-failure, and loses no request',
  async () => {
    const before = await podNames()
    await inEverydayUse('failed migration, put back', backend(), ada, async () => {
      const flags = ['--rollback-on-failure', '--timeout', '45s']
      await expect(release.upgrade(broken, ...flags)).rejects.toThrow(/ended with 1/)
    })
    await settled(namespace)
    expect(await podNames()).toEqual(before)
    expect(await schemaVersion()).toBe(schema + 1)
  },
  6 * MINUTES,
)

test(
  'a migration that fails leaves the old version serving, and says why',
  async () => {
    const before = await podNames()
    await inEverydayUse('failed migration', backend(), ada, async () => {
      await expect(release.upgrade(broken, '--timeout', '45s')).rejects.toThrow(/ended with 1/)
    })
    expect((await podNames()).filter((name) => before.includes(name))).toEqual(before)
    expect(await schemaVersion()).toBe(schema + 1)
    expect(await failedJobLog()).toContain('no_such_table')
  },
  8 * MINUTES,
)

test(
  'after it a rollback makes the release whole again',
  async () => {
    await release.rollback()
    await settled(namespace)
    expect(await imagesInUse()).toEqual([imageName('test')])
    const me = await ask(backend(), 'GET', '/v1/me/', { token: ada.token })
    expect(me).toMatchObject({ status: 200, body: { email: ada.email } })
  },
  6 * MINUTES,
)

/** The chart as a package with another version. */
async function packageChart(version: string): Promise<string> {
  const copy = join(folder, 'chart')
  await cp(chart, copy, { recursive: true })
  await output(['helm', 'package', copy, '--version', version, '--destination', folder])
  return join(folder, `keyward-${version}.tgz`)
}

const containersOf = (pod: KubernetesObject) => (pod.spec?.containers ?? []) as { image: string }[]

/** The images of the components' containers, each once. */
async function imagesInUse(): Promise<string[]> {
  const pods = await Promise.all(components.map((component) => podsOf(namespace, component)))
  return [
    ...new Set(
      pods
        .flat()
        .flatMap(containersOf)
        .map(({ image }) => image),
    ),
  ]
}

/** The names of the components' pods that are ready. */
async function podNames(): Promise<string[]> {
  const pods = await Promise.all(components.map((component) => podsOf(namespace, component)))
  return pods
    .flat()
    .filter(isReady)
    .map(({ metadata }) => metadata.name)
}

async function failedJobLog(): Promise<string> {
  const jobs = await namespace.list('jobs')
  const failed = jobs.find((job) => Number(job.status?.failed) > 0)
  return namespace.kubectl('logs', `job/${failed?.metadata.name}`)
}
