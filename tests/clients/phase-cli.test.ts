import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { cleanUp } from '../support/keyward.ts'
import { emptyFolder, type Login, phase, removeFolders } from './support/clients.ts'
import { type CommandLine, commandLine, said } from './support/command-line.ts'
import { type App, type Deployment, startDeployment } from './support/deployment.ts'

let deployment: Deployment
let app: App

beforeAll(async () => {
  deployment = await startDeployment()
  app = await deployment.app('Billing')
})
afterAll(async () => {
  await removeFolders()
  await cleanUp()
})

test('the command line is of the version that the documentation names', async () => {
  expect((await phase(['--version'])).stdout).toBe('1.21.3\n')
})

describe.each(['member', 'service account'] as const)('with the token of a %s', (kind) => {
  const environment = kind === 'member' ? 'Development' : 'Staging'
  let login: Login
  let line: CommandLine

  beforeAll(async () => {
    const access = [{ app, environments: [environment] }]
    const holder =
      kind === 'member'
        ? await deployment.member('Developer', access)
        : await deployment.serviceAccount('Service', access)
    login = await deployment.login(holder)
    line = commandLine(login, 'Billing', environment)
  })

  test('the token has the form that clients of Phase accept', () => {
    const word = kind === 'member' ? 'pss_user:v1' : 'pss_service:v2'
    expect(login.token).toMatch(new RegExp(`^${word}(:[0-9a-f]{64}){4}$`))
  })

  test('a secret is created, listed, read, moved, injected and deleted', async () => {
    const table = await line.create('DB_URL', 'postgres://one')
    expect(table).toContain('DB_URL')
    expect(table).not.toContain('postgres://one')
    expect(await line.succeeds(['secrets', 'list', '--show'])).toContain('postgres://one')
    expect(await line.get('db_url')).toEqual({
      key: 'DB_URL',
      value: 'postgres://one',
      overridden: null,
      tags: [],
      comment: null,
      path: '/',
      application: 'Billing',
      environment,
    })

    const update = ['secrets', 'update', 'DB_URL', '--updated-path', '/db/main']
    expect(await line.succeeds(update, { input: 'postgres://two' })).toContain('Successfully updated')
    expect(await line.fails(['secrets', 'get', 'DB_URL'])).toContain('Secret not found')
    expect(await line.get('DB_URL', '/db/main')).toMatchObject({ value: 'postgres://two', path: '/db/main' })

    const run = ['run', '--path', '/db/main', 'echo "<$DB_URL>"']
    expect(await line.succeeds(run)).toContain('\n<postgres://two>\n')

    const remove = ['secrets', 'delete', 'DB_URL', '--path', '/db/main']
    expect(await line.succeeds(remove)).toContain('Successfully deleted')
    expect(await line.exported()).toEqual({})
  }, 120_000)

  test('`run` ends with the exit code of the program that it started', async () => {
    await line.create('ZONE', 'eu-1')
    const outcome = await phase(
      ['run', '--app', 'Billing', '--env', environment, 'test $ZONE = eu-1 && exit 7'],
      login,
    )
    expect(outcome.code).toBe(7)
  }, 60_000)

  test('`auth`, `init` and `whoami` keep the login, and the commands after them need no variable', async () => {
    const home = await emptyFolder()
    const answers = [
      { to: '(hidden): ', text: `${login.token}\n` },
      ...(kind === 'member' ? [{ to: 'your email', text: 'grace@example.org\r' }] : []),
    ]
    const auth = await phase(['auth', '--mode', 'token'], { host: login.host, home, answers })
    expect(said(auth)).toContain('Authentication successful')
    expect((await phase(['users', 'whoami'], { home })).stdout).toContain('Organization: My organisation')
    const init = await phase(['init'], { home, input: '\r\r\r' })
    expect(said(init)).toContain('Initialization completed')
    expect(await Bun.file(join(home, '.phase.json')).json()).toMatchObject({
      phaseApp: 'Billing',
      appId: app.id,
      defaultEnv: environment,
      envId: app.environments[environment],
    })
    await phase(['secrets', 'create', 'KEPT', '--path', '/kept'], { home, input: 'yes' })
    const run = await phase(['run', '--path', '/kept', 'echo "<$KEPT>"'], { home })
    expect(run.stdout).toContain('<yes>')
    const input = 'echo "<$KEPT>"\n'
    const shell = await phase(['shell', '--path', '/kept', '--shell', 'sh'], { home, input })
    expect(shell.stdout).toContain('<yes>')
  }, 120_000)
})

describe('whatever the token', () => {
  let line: CommandLine

  beforeAll(async () => {
    line = commandLine(await deployment.login(deployment.owner), 'Billing', 'Production')
  })

  test('a key that exists is refused, and keeps its value', async () => {
    await line.create('TAKEN', 'first')
    const refusal = await line.fails(['secrets', 'create', 'TAKEN'], { input: 'second' })
    expect(refusal).toContain('409: A secret with this key already exists at /.')
    expect((await line.get('TAKEN')).value).toBe('first')
    await line.create('TAKEN', 'at another path', '/other')
  }, 60_000)

  test('a random value is stored as it was generated', async () => {
    await line.succeeds(['secrets', 'create', 'RANDOM', '--random', 'hex', '--length', '24'])
    expect((await line.get('RANDOM')).value).toMatch(/^[0-9a-f]{48}$/)
  }, 60_000)

  test('what is not ASCII comes back as it was', async () => {
    const value = 'pä$$wörd "\' \\ % ＝ 密码 🔑'
    await line.create('ÜMLAUT', value, '/non-ascii')
    await line.create('SIGNS', value, '/non-ascii')
    expect(await line.get('ÜMLAUT', '/non-ascii')).toMatchObject({ key: 'ÜMLAUT', value })
    expect(await line.succeeds(['run', '--path', '/non-ascii', 'env'])).toContain(`SIGNS=${value}\n`)
  }, 60_000)

  test('a key in small letters that was written over HTTP is injected and exported, but not found by `get`', async () => {
    const secrets = [{ key: 'small', value: 'kept', path: '/case' }]
    await deployment.ask('POST', `/v1/secrets/?app_id=${app.id}&env=production`, { secrets })
    expect(await line.succeeds(['run', '--path', '/case', 'echo "<$small>"'])).toContain('<kept>')
    expect(await line.exported('/case')).toEqual({ small: 'kept' })
    expect(await line.fails(['secrets', 'get', 'small', '--path', '/case'])).toContain('Secret not found')
  }, 60_000)

  test('deleting some keys leaves the others, and names those that do not exist', async () => {
    await Promise.all(['A', 'B', 'C'].map((key) => line.create(key, key.toLowerCase(), '/letters')))
    const words = ['secrets', 'delete', 'A', 'C', 'NONE', '--path', '/letters']
    expect(await line.succeeds(words)).toContain('The following keys were not found: NONE')
    expect(await line.exported('/letters')).toEqual({ B: 'b' })
  }, 60_000)

  test('what Keyward does not have is refused with a sentence', async () => {
    expect(await line.fails(['dynamic-secrets', 'list'])).toContain(
      '404: Not found: Keyward has no dynamic secrets.',
    )
  }, 60_000)
})
