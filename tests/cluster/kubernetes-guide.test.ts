import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eventually } from '../support/eventually.ts'
import { freePort } from '../support/free-port.ts'
import { ask, openSeeds } from './support/account.ts'
import { output } from './support/command.ts'
import { startPostgres } from './support/external-postgres.ts'
import { imageValues } from './support/images.ts'
import { type Guide, openGuide } from './support/kubernetes-guide.ts'
import { createNamespace, type Namespace, removeNamespace, takeNamespace } from './support/namespace.ts'
import { reach, serviceName, statuses } from './support/reach.ts'
import { host, type Values } from './support/release.ts'
import { podsOf, settled } from './support/workload.ts'

const MINUTES = 60_000
const NAME = 'keyward-guide'

let guide: Guide
let namespace: Namespace
let token: string
let seeds: string[]

beforeAll(async () => {
  guide = await openGuide(NAME)
  namespace = await createNamespace(NAME)
}, 4 * MINUTES)
afterAll(async () => {
  await guide.remove()
  await namespace.remove()
}, 3 * MINUTES)

const backend = async () => ({ url: (await reach(namespace)).backend, host: serviceName('backend') })
const opened = async () => openSeeds(await backend(), { token })

/** The file as it is for others to use, with the images of these tests instead of the guide's own. */
const writeValues = (...more: Values[]) =>
  guide.writeValues(guide.values('Install', 1), guide.values('Install', 4), imageValues('test'), ...more)

test(
  'the installation to try it serves the quick start, through a forwarded port',
  async () => {
    await guide.writeValues(guide.values('Install', 1), imageValues('test'))
    await guide.run('Install', 2)
    const port = String(freePort())
    const forwarding = guide.start('Install', 3, { '8080:80': `${port}:80` })
    try {
      const url = `http://localhost:${port}`
      await eventually('the port is forwarded', () => answers(`${url}/service/ready/`), 30)
      const script = guide.quickStart.replace('http://localhost:8080', url)
      const command = ['bash', '-euo', 'pipefail', '-c', `${script}\nprintf "\\ntoken=%s\\n" "$token"`]
      const printed = await output(command)
      expect(printed).toContain('"eventType":"member.access_changed"')
      token = /^token=(.+)$/m.exec(printed)?.[1] ?? ''
      expect(token).toStartWith('kw_pat_')
    } finally {
      forwarding.stop()
    }
    seeds = await opened()
    expect(seeds).toHaveLength(3)
  },
  8 * MINUTES,
)

test(
  'with its public name in the file it answers for that',
  async () => {
    await writeValues()
    await guide.run('Install', 5)
    await settled(namespace)
    const running = { backend: 200, frontend: 200, worker: 404 }
    expect(await statuses(await reach(namespace), host)).toEqual(running)
    const { spec } = await namespace.get('ingress/keyward')
    expect(spec).toMatchObject({ ingressClassName: 'traefik', tls: [{ secretName: 'keyward-tls' }] })
  },
  8 * MINUTES,
)

test(
  'an upgrade takes the settings of the file, and a rollback takes one back',
  async () => {
    await guide.run('Upgrade', 0)
    expect(await guide.run('Upgrade', 1)).toContain('Migration applied')
    await writeValues({ backend: { replicas: 2 } })
    await guide.run('Upgrade', 0)
    expect(await podsOf(namespace, 'backend')).toHaveLength(2)
    await writeValues()
    expect(await guide.run('Roll back', 0, { 'keyward 2': 'keyward 3' })).toContain('superseded')
    await settled(namespace)
    expect(await podsOf(namespace, 'backend')).toHaveLength(1)
    expect(await statuses(await reach(namespace), host)).toMatchObject({ backend: 200 })
    expect(await opened()).toEqual(seeds)
  },
  10 * MINUTES,
)

test(
  'a backup of an older version is restored onto the release that runs, or nothing happens at all',
  async () => {
    const older = await schema()
    await guide.run('Back up')
    await writeValues(imageValues('next'))
    await guide.run('Upgrade', 0)
    const created = await ask(await backend(), 'POST', '/v1/apps/', { token, body: { name: 'Too late' } })
    expect(created.status).toBe(201)
    await guide.writeFile('cut.sql', '-- PostgreSQL database dump\n')
    await guide.writeFile('other.env', `SERVER_SECRET=${'00'.repeat(32)}\n`)
    const wrong = [
      { 'keyward.sql': 'missing.sql' },
      { 'keyward.sql': 'cut.sql' },
      { 'keyward.env': 'missing.env' },
      { 'keyward.env': 'other.env' },
    ]
    for (const replace of wrong) expect((await guide.paste('Restore', 1, replace)).code).not.toBe(0)
    expect((await guide.paste('Restore', 0)).stderr).toContain('already exists')
    expect(await appNames()).toEqual(['Billing', 'Too late'])
    expect(await schema()).toBe(older + 1)
    await guide.run('Restore', 1)
    expect(await appNames()).toEqual(['Billing'])
    expect(await schema()).toBe(older + 1)
    expect(await opened()).toEqual(seeds)
  },
  12 * MINUTES,
)

test(
  'it is restored into an empty namespace, where the chart adds the secret that it lacks',
  async () => {
    const latest = await schema()
    const { SETUP_TOKEN, ...kept } = await secrets()
    const lines = Object.entries(kept).map(([name, value]) => `${name}=${atob(value)}\n`)
    await guide.writeFile('keyward.env', lines.join(''))
    await inNewNamespace(async () => {
      await guide.run('Restore', 0)
      await guide.run('Restore', 1)
    })
    const { SETUP_TOKEN: added = '', ...restored } = await secrets()
    expect(restored).toEqual(kept)
    expect(atob(added)).toMatch(/^[0-9a-f]{64}$/)
    expect(added).not.toBe(SETUP_TOKEN ?? '')
    expect(await schema()).toBe(latest)
    expect(await opened()).toEqual(seeds)
  },
  12 * MINUTES,
)

test(
  'it runs on a database of your own, where the first account states the set-up token',
  async () => {
    const database = await createNamespace(`${NAME}-database`)
    try {
      const password = 'p4'.repeat(16)
      const address = await startPostgres(database, password)
      await guide.writeFile('password', password)
      await writeValues(guide.values('Use an external database', 0, { 'db.example.org': address }))
      await inNewNamespace(() => guide.run('Use an external database', 1))
      expect(await podsOf(namespace, 'postgres')).toEqual([])
      const from = `-H 'Host: ${host}' ${(await reach(namespace)).backend}`
      const answer = await guide.run('Install', 6, { [`https://${host}`]: from })
      expect(JSON.parse(answer)).toMatchObject({ member: { role: { name: 'Owner' } } })
    } finally {
      await database.remove()
    }
  },
  10 * MINUTES,
)

test(
  'GitOps: what Helm renders is applied, and runs',
  async () => {
    await writeValues(guide.values('GitOps', 0))
    await inNewNamespace(() => guide.run('GitOps', 1))
    await settled(namespace)
    expect(await statuses(await reach(namespace), host)).toEqual({ backend: 200, frontend: 200, worker: 404 })
    expect(await namespace.list('pods', 'app.kubernetes.io/component=test')).toEqual([])
  },
  10 * MINUTES,
)

test('every block of the guide was used, but for building and pushing the image, which takes a registry', () => {
  expect(guide.notUsed()).toEqual(['Install 0'])
})

async function schema(): Promise<number> {
  return Number((await ask(await backend(), 'GET', '/service/ready/')).body.schema)
}

async function appNames(): Promise<string[]> {
  const { body } = await ask(await backend(), 'GET', '/v1/apps/', { token })
  return (body.data as { name: string }[]).map(({ name }) => name).sort()
}

const secrets = async (): Promise<Record<string, string>> =>
  (await namespace.get('secret/keyward-secrets')).data ?? {}

/** For commands that create the namespace themselves. */
async function inNewNamespace(commands: () => Promise<unknown>): Promise<void> {
  await removeNamespace(NAME)
  await commands().finally(() => takeNamespace(NAME))
}

const answers = (url: string) =>
  fetch(url, { keepalive: false }).then(
    (response) => response.ok,
    () => false,
  )
