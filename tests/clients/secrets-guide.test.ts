import { afterAll, beforeAll, expect, test } from 'bun:test'
import { dirname, join } from 'node:path'
import { page } from '../docs/pages.ts'
import { cleanUp } from '../support/keyward.ts'
import { codeBlocks, section } from '../support/markdown.ts'
import { emptyFolder, removeFolders, runProgram, variable } from './support/clients.ts'
import { commandLine } from './support/command-line.ts'
import { type Deployment, startDeployment } from './support/deployment.ts'

const guide = page('docs/secrets.md')
let keyward: Deployment
/** Where the secrets come from: clients can't tell it from Phase. */
let old: Deployment

beforeAll(async () => {
  ;[keyward, old] = await Promise.all([startDeployment(), startDeployment()])
}, 60_000)
afterAll(async () => {
  await removeFolders()
  await cleanUp()
})

/** Runs commands of the page in one shell, with `phase` on its path; what they print. */
async function shell(commands: string, cwd: string, variables: Record<string, string>): Promise<string> {
  const path = `${dirname(variable('KEYWARD_TEST_PHASE_CLI'))}:${process.env.PATH}`
  const lines = Object.entries({ PATH: path, ...variables }).map(([name, value]) => `${name}='${value}'`)
  const script = `export ${lines.join(' ')}\n${commands}`
  const { code, stdout, stderr } = await runProgram('bash', ['--norc', '-euo', 'pipefail', '-c', script], {
    cwd,
  })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout
}

/** Commands of the page with the host and the account of this test. */
function pointed(commands: string): string {
  expect(commands).toContain('KEYWARD=http://localhost:8080\n')
  expect(commands).toContain('ada@example.org')
  return commands
    .replace('http://localhost:8080', keyward.keyward.url)
    .replace('ada@example.org', 'owner@example.org')
}

test('from a .env file to a program that reads it, as the page prints it', async () => {
  const cwd = await emptyFolder()
  await Bun.write(join(cwd, '.env'), '# of the service\nDB_URL="postgres://db.example.org"\nPORT=8080\n')
  const commands = codeBlocks(section(guide, 'From a `.env` file'), 'sh').join('\n')
  const printed = await shell(pointed(commands), cwd, {})
  expect(printed.split('The database is postgres://db.example.org\n')).toHaveLength(3)
  expect(printed).toContain('"created":[{"key":"DB_URL","path":"/"},{"key":"PORT","path":"/"}]')
  const token = printed.trim().split('\n').at(-1) ?? ''
  const server = commandLine({ host: keyward.keyward.url, token }, 'Invoices', 'Production')
  await server.create('DB_URL', 'of production')
  expect(await server.exported()).toEqual({ DB_URL: 'of production' })
  expect(await server.in('Development').fails(['secrets', 'list'])).toContain('do not have access')
}, 120_000)

test('the first environment is moved from Phase, and a program reads it, as the page prints it', async () => {
  const { app, token } = await withApp(old, 'Billing')
  const query = new URLSearchParams({ app_id: app.id, env: 'production' })
  const secrets = [{ key: 'DB_URL', value: 'postgres://moved' }]
  await old.ask('POST', `/v1/secrets/?${query}`, { secrets })
  const login = { PHASE_HOST: old.keyward.url, PHASE_SERVICE_TOKEN: token }
  const intro = section(guide, 'From Phase').split('### ')[0] ?? ''
  const commands = codeBlocks(intro, 'sh').join('\n')
  expect(commands.trim().split('\n').length).toBeLessThanOrEqual(11)
  const printed = await shell(pointed(commands), await emptyFolder(), login)
  expect(printed).toContain('The database is postgres://moved\n')
}, 120_000)

test('a folder with any value is moved from one host to another with the commands of the page', async () => {
  const single = {
    URL: 'postgres://u:p@db/x?y=z&a=%20',
    QUOTES: `it's "quoted" \\ and \`more\` $HOME`,
    WHOLLY: '"in quotes"',
    BLANKS: '  around  ',
    NON_ASCII: 'pä$$wörd 密码 🔑',
    EMPTY: '',
  }
  const pem = '-----BEGIN KEY-----\nabc==\nTWO=lines\n-----END KEY-----\n'
  const [from, to] = [await withApp(old, 'Ledger'), await withApp(keyward, 'Ledger')]
  const query = new URLSearchParams({ app_id: from.app.id, env: 'production' })
  const secrets = Object.entries(single).map(([key, value]) => ({ key, value, path: '/db' }))
  await old.ask('POST', `/v1/secrets/?${query}`, {
    secrets: [...secrets, { key: 'TLS_KEY', value: pem, path: '/tls' }],
  })

  const cwd = await emptyFolder()
  const commands = codeBlocks(section(guide, 'Move the secrets', 3), 'sh').join('\n')
  await shell(commands.replaceAll('--app Billing', '--app Ledger'), cwd, {
    OLD_HOST: old.keyward.url,
    OLD_TOKEN: from.token,
    KEYWARD: keyward.keyward.url,
    NEW_TOKEN: to.token,
    app: to.app.id,
  })
  const line = commandLine({ host: keyward.keyward.url, token: to.token }, 'Ledger', 'Production')
  expect(await line.exported('/db')).toEqual(single)
  expect(await line.exported('/tls')).toEqual({ TLS_KEY: pem })
  expect(await Array.fromAsync(new Bun.Glob('*').scan(cwd))).toEqual([])
}, 120_000)

async function withApp(deployment: Deployment, name: string) {
  const app = await deployment.app(name)
  const account = await deployment.serviceAccount('Service', [{ app, environments: ['Production'] }])
  return { app, token: (await deployment.token(account)).token }
}
