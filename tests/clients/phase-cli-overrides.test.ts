import { afterAll, beforeAll, expect, test } from 'bun:test'
import { cleanUp } from '../support/keyward.ts'
import { call } from '../support/keyward-api.ts'
import { removeFolders } from './support/clients.ts'
import { type CommandLine, commandLine } from './support/command-line.ts'
import { type App, type Deployment, startDeployment } from './support/deployment.ts'

let deployment: Deployment
let app: App
let grace: CommandLine
let linus: CommandLine

beforeAll(async () => {
  deployment = await startDeployment()
  app = await deployment.app('Billing')
  const line = async () =>
    commandLine(await deployment.login(await deployment.member('Developer', [{ app }])), 'Billing')
  grace = await line()
  linus = await line()
})
afterAll(async () => {
  await removeFolders()
  await cleanUp()
})

const update = (line: CommandLine, key: string, words: string[], input = '') =>
  line.succeeds(['secrets', 'update', key, ...words], { input })

/** The one secret of the environment's path, as it is stored. */
async function stored(path: string): Promise<Record<string, unknown>> {
  const { token } = await deployment.token(deployment.owner)
  const response = await fetch(`${deployment.keyward.url}/service/secrets/`, {
    headers: {
      authorization: `Bearer User ${token.split(':')[2]}`,
      environment: String(app.environments.Development),
      path,
    },
  })
  const [secret] = (await response.json()) as Record<string, unknown>[]
  return secret ?? {}
}

test('an override counts for its member alone, until it is turned off', async () => {
  await grace.create('LOG_LEVEL', 'warn')
  const before = await stored('/')
  await update(grace, 'LOG_LEVEL', ['--override'], 'debug\n')
  expect(await grace.get('LOG_LEVEL')).toMatchObject({ value: 'debug', overridden: true })
  expect(await linus.get('LOG_LEVEL')).toMatchObject({ value: 'warn', overridden: null })
  expect(await stored('/')).toMatchObject({
    version: before.version,
    updated_at: before.updated_at,
    override: null,
  })

  await update(grace, 'LOG_LEVEL', ['--toggle-override'])
  expect(await grace.get('LOG_LEVEL')).toMatchObject({ value: 'warn', overridden: false })
  await update(grace, 'LOG_LEVEL', ['--toggle-override'])
  expect((await grace.get('LOG_LEVEL')).value).toBe('debug')

  await update(linus, 'LOG_LEVEL', ['--override'], 'trace\n')
  await update(linus, 'LOG_LEVEL', [], 'error')
  expect((await grace.get('LOG_LEVEL')).value).toBe('debug')
  expect((await linus.get('LOG_LEVEL')).value).toBe('trace')
  expect(await grace.succeeds(['run', 'echo "<$LOG_LEVEL>"'])).toContain('<debug>')
}, 120_000)

test('a secret that is created with an override alone is empty for everybody else', async () => {
  await grace.succeeds(['secrets', 'create', 'MINE', '--override', '--path', '/mine'], {
    input: 'only mine\n',
  })
  expect((await grace.get('MINE', '/mine')).value).toBe('only mine')
  expect((await linus.get('MINE', '/mine')).value).toBe('')
}, 60_000)

test('an override that does not exist can not be toggled', async () => {
  await linus.create('PLAIN', 'shared')
  const refusal = await linus.fails(['secrets', 'update', 'PLAIN', '--toggle-override'])
  expect(refusal).toContain('No override exists for this secret')
}, 60_000)

test('an override is gone with the secret, and with the access of its member', async () => {
  const path = ['--path', '/short']
  await grace.create('SHORT', 'shared', '/short')
  await update(grace, 'SHORT', ['--override', ...path], 'mine\n')
  await linus.succeeds(['secrets', 'delete', 'SHORT', ...path])
  await linus.create('SHORT', 'new', '/short')
  expect(await grace.get('SHORT', '/short')).toMatchObject({ value: 'new', overridden: null })

  const ada = await deployment.member('Developer', [{ app }])
  const line = commandLine(await deployment.login(ada), 'Billing')
  await update(line, 'SHORT', ['--override', ...path], "ada's\n")
  await deployment.setAccess(ada, [])
  await deployment.setAccess(ada, [{ app }])
  expect(await line.get('SHORT', '/short')).toMatchObject({ value: 'new', overridden: null })
}, 120_000)

test('a service account has no overrides, and nothing is stored when it asks for one', async () => {
  const account = await deployment.serviceAccount('Service', [{ app }])
  const robot = commandLine(await deployment.login(account), 'Billing')
  const words = ['secrets', 'create', 'ROBOT', '--override', '--path', '/robot']
  expect(await robot.fails(words, { input: 'mine\n' })).toContain('A service account has no overrides')
  expect(await robot.exported('/robot')).toEqual({})
  await grace.create('SHARED', 'shared', '/robot')
  const change = ['secrets', 'update', 'SHARED', '--override', '--path', '/robot']
  expect(await robot.fails(change, { input: 'mine\n' })).toContain('A service account has no overrides')
  expect(await robot.exported('/robot')).toEqual({ SHARED: 'shared' })
  const { body } = await call(
    deployment.keyward,
    'GET',
    '/v1/logs/audit/?event_type=secret.override_changed',
    {
      token: deployment.owner.session,
    },
  )
  expect(JSON.stringify(body.data)).not.toContain(account.id)
}, 120_000)
