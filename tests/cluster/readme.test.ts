import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eventually } from '../support/eventually.ts'
import { freePort } from '../support/free-port.ts'
import { openSeeds } from './support/account.ts'
import { output } from './support/command.ts'
import { startPostgres } from './support/external-postgres.ts'
import { createNamespace, type Namespace, removeNamespace, takeNamespace } from './support/namespace.ts'
import { reach, serviceName, statuses } from './support/reach.ts'
import { openReadme, type Readme } from './support/readme.ts'
import { host } from './support/release.ts'
import { podsOf, settled } from './support/workload.ts'

const MINUTES = 60_000
const NAME = 'keyward-readme'

let readme: Readme
let namespace: Namespace
let token: string
let seeds: string[]

beforeAll(async () => {
  readme = await openReadme(NAME)
  namespace = await createNamespace(NAME)
}, 4 * MINUTES)
afterAll(async () => {
  await readme.remove()
  await namespace.remove()
}, 3 * MINUTES)

const backend = async () => ({ url: (await reach(namespace)).backend, host: serviceName('backend') })

test(
  'the installation to try it serves the quick start, through a forwarded port',
  async () => {
    await readme.run('Install', 0)
    const port = String(freePort())
    const forwarding = readme.start('Install', 1, { '8080:80': `${port}:80` })
    try {
      const url = `http://localhost:${port}`
      await eventually('the port is forwarded', () => answers(`${url}/service/ready/`), 30)
      const script = readme.section('Quick start').replace('http://localhost:8080', url)
      const command = ['bash', '-euo', 'pipefail', '-c', `${script}\nprintf "\\ntoken=%s\\n" "$token"`]
      const printed = await output(command)
      expect(printed).toContain('"eventType":"member.access_changed"')
      token = /^token=(.+)$/m.exec(printed)?.[1] ?? ''
      expect(token).toStartWith('kw_pat_')
    } finally {
      forwarding.stop()
    }
    seeds = await openSeeds(await backend(), { token })
    expect(seeds).toHaveLength(3)
  },
  8 * MINUTES,
)

test(
  'with its public name it answers for that, and the set-up token can be read',
  async () => {
    await readme.run('Install', 2)
    await settled(namespace)
    const running = { backend: 200, frontend: 200, worker: 404 }
    expect(await statuses(await reach(namespace), host)).toEqual(running)
    expect(await readme.run('Install', 3)).toMatch(/^[0-9a-f]{64}$/)
  },
  8 * MINUTES,
)

test(
  'an upgrade keeps the settings, another changes one, and a rollback takes that back',
  async () => {
    await readme.run('Upgrade', 0)
    expect(await statuses(await reach(namespace), host)).toMatchObject({ backend: 200 })
    expect(await readme.run('Upgrade', 1)).toContain('Migration applied')
    await readme.run('Upgrade', 2)
    expect(await podsOf(namespace, 'backend')).toHaveLength(2)
    await readme.run('Roll back')
    await settled(namespace)
    expect(await podsOf(namespace, 'backend')).toHaveLength(1)
    expect(await openSeeds(await backend(), { token })).toEqual(seeds)
  },
  10 * MINUTES,
)

test(
  'a backup is restored into an empty namespace, and its keys open',
  async () => {
    await readme.run('Back up')
    await inNewNamespace(() => readme.run('Restore'))
    expect(await openSeeds(await backend(), { token })).toEqual(seeds)
  },
  12 * MINUTES,
)

test(
  'it runs on a database of your own',
  async () => {
    const database = await createNamespace(`${NAME}-database`)
    try {
      const password = 'p4'.repeat(16)
      const address = await startPostgres(database, password)
      await readme.writeFile('password', password)
      await inNewNamespace(() => readme.run('A database of your own', 0, { 'db.example.org': address }))
      expect(await statuses(await reach(namespace), host)).toMatchObject({ backend: 200, worker: 404 })
      expect(await podsOf(namespace, 'postgres')).toEqual([])
    } finally {
      await database.remove()
    }
  },
  10 * MINUTES,
)

test(
  'GitOps: what Helm renders is applied, and runs',
  async () => {
    await inNewNamespace(() => readme.run('GitOps'))
    await settled(namespace)
    expect(await statuses(await reach(namespace), host)).toEqual({ backend: 200, frontend: 200, worker: 404 })
  },
  10 * MINUTES,
)

test('every block of commands in the section was run', () => {
  expect(readme.notRun()).toEqual([])
})

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
