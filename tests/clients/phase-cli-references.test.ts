import { afterAll, beforeAll, expect, test } from 'bun:test'
import { cleanUp } from '../support/keyward.ts'
import { type Login, phase, removeFolders } from './support/clients.ts'
import { type CommandLine, commandLine, said } from './support/command-line.ts'
import { type App, type Deployment, startDeployment } from './support/deployment.ts'

let deployment: Deployment
let login: Login
let line: CommandLine
let payments: App

beforeAll(async () => {
  deployment = await startDeployment()
  const app = await deployment.app('Billing', ['Preproduction', 'Production', 'Prod-EU', 'Prod'])
  payments = await deployment.app('Payments')
  const secret = await deployment.app('Payments archive')
  const account = await deployment.serviceAccount('Service', [
    { app, environments: ['Preproduction', 'Production', 'Prod'] },
    { app: payments },
    { app: secret, environments: ['Production'] },
  ])
  login = await deployment.login(account)
  line = commandLine(login, 'Billing', 'Production')
})
afterAll(async () => {
  await removeFolders()
  await cleanUp()
})

test('an environment is found by a part of its name in any case, and its whole name comes first', async () => {
  await line.create('WHERE', 'production', '/names')
  await line.in('Preproduction').create('WHERE', 'preproduction', '/names')
  await line.in('Prod').create('WHERE', 'prod', '/names')
  const found = async (name: string) => (await line.in(name).get('WHERE', '/names')).value
  expect(await found('production')).toBe('production')
  expect(await found('prod')).toBe('prod')
  expect(await found('PREPROD')).toBe('preproduction')
  expect(await found('duct')).toBe('production')
}, 60_000)

test('an app is found by a part of its name, and by its id', async () => {
  await line.in('dev', 'Payments').create('WHO', 'payments')
  expect((await line.in('dev', 'paym').get('WHO')).application).toBe('Payments')
  const byId = await phase(['secrets', 'get', 'WHO', '--app-id', payments.id], login)
  expect(JSON.parse(byId.stdout)).toMatchObject({ application: 'Payments', environment: 'Development' })
}, 60_000)

test('an environment that the token can not open does not exist for it', async () => {
  const refusal = await line.in('Prod-EU').fails(['secrets', 'list'])
  expect(refusal).toContain("The environment 'Prod-EU' either does not exist or you do not have access to it")
}, 60_000)

test('references are resolved across paths, environments and apps; what can not be resolved stays', async () => {
  await line.create('HOST', 'db.example.org', '/db')
  await line.create('USER', 'app')
  await line.in('Prod').create('PASSWORD', 'hunter2', '/db')
  await line.in('production', 'Payments').create('PORT', '5433', '/net/db')
  const values = {
    URL: `postgres://\${USER}:\${prod./db/PASSWORD}@\${/db/HOST}:\${Payments::production./net/db/PORT}`,
    CHAIN: `\${URL}/billing`,
    MISSING: `\${NOBODY} \${/db/NOBODY} \${nowhere.KEY}`,
    TEMPLATE: `\${{ github.sha }}`,
    CYCLE_A: `a \${CYCLE_B}`,
    CYCLE_B: `b \${CYCLE_A}`,
  }
  for (const [key, value] of Object.entries(values)) await line.create(key, value)
  const url = 'postgres://app:hunter2@db.example.org:5433'
  const exported = await line.exported('/')
  expect(exported).toMatchObject({
    URL: url,
    CHAIN: `${url}/billing`,
    MISSING: values.MISSING,
    TEMPLATE: values.TEMPLATE,
  })
  expect(exported.CYCLE_A).toContain('CYCLE_')
  expect(await line.succeeds(['run', 'echo "<$CHAIN>"'])).toContain(`<${url}/billing>`)
}, 120_000)

test('a reference into an app that the token can not open ends the command, and shows nothing', async () => {
  const own = await deployment.app('Ledger')
  await commandLine(await deployment.login(deployment.owner), 'Ledger').create('HIDDEN', 'not to be seen')
  expect(own.id).toBeString()
  await line.create('STOLEN', `\${Ledger::development.HIDDEN}`, '/stolen')
  const words = ['run', '--app', 'Billing', '--env', 'production', '--path', '/stolen', 'echo "<$STOLEN>"']
  const outcome = await phase(words, login)
  expect(outcome.code).toBe(1)
  expect(said(outcome)).toContain("No application found with the name 'Ledger'")
  expect(said(outcome)).not.toContain('not to be seen')
}, 60_000)
