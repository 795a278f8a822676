import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { runKeyward, runOnTerminal } from '../support/console.ts'
import { emptyDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import {
  cleanUp,
  databaseUrl,
  dataDirectory,
  type Keyward,
  postgresPort,
  readyKeyward,
} from '../support/keyward.ts'
import { call, register, signIn } from '../support/keyward-api.ts'

let directory: string
let keyward: Keyward
const env = () => ({ KEYWARD_DATA: directory })
const run = (...args: string[]) => runKeyward(args, { env: env() })
const accounts = async () => JSON.parse((await run('users', 'list', '--json')).stdout).data

beforeAll(async () => {
  directory = await dataDirectory()
  keyward = await readyKeyward({ env: env() })
  await register(keyward)
})
afterAll(cleanUp)

const post = (path: string, body: object) => call(keyward, 'POST', `/service/auth/${path}`, { body })
const audit = async (query: string) => {
  const token = (await signIn(keyward)).body.accessToken
  return (await call(keyward, 'GET', `/v1/logs/audit/?${query}`, { token })).body.data as Record<
    string,
    unknown
  >[]
}

/** A member without a mail gateway: invited, registered. */
async function invite(email: string) {
  const token = (await signIn(keyward)).body.accessToken
  const roles = (await call(keyward, 'GET', '/v1/roles/', { token })).body.data as {
    id: string
    name: string
  }[]
  const role_id = roles.find(({ name }) => name === 'Developer')?.id
  const { body } = await call(keyward, 'POST', '/v1/members/invites/', { token, body: { email, role_id } })
  const link = String(body.inviteUrl).split('#')[1]
  return await post('password/register/', { email, password: 'correct horse battery', invite: link })
}

describe('while Keyward serves with its embedded database', () => {
  test('users list is a table for people and JSON for programs', async () => {
    const table = await run('users', 'list')
    expect(table.stderr).toBe('')
    expect(table.code).toBe(0)
    expect(table.stdout).toMatch(
      /^E-MAIL +NAME +ROLE +SIGN-IN +2ND FACTOR +VERIFIED +CREATED\nada@example\.org +- +Owner +password +- +no +\d{4}-\d\d-\d\d\n$/,
    )
    expect(await accounts()).toMatchObject([
      { email: 'ada@example.org', role: 'Owner', methods: ['password'] },
    ])
  })

  test('users reset prints a link to a program, which sets a password once; the entry names the operator', async () => {
    const { code, stdout, stderr } = await run('users', 'reset', 'ADA@example.org', '--json')
    expect([code, stderr]).toEqual([0, ''])
    const { url, expiresAt } = JSON.parse(stdout)
    expect(new Date(expiresAt).getTime() - Date.now()).toBeWithin(3_500_000, 3_600_001)
    expect(url).toMatch(/^http:\/\/localhost:\d+\/reset-password#[0-9a-f]{32}[\w-]{43}$/)
    const body = { token: url.split('#')[1], new_password: 'correct horse battery' }
    expect((await post('password/reset/', body)).status).toBe(204)
    expect((await post('password/reset/', body)).status).toBe(404)
    expect(await audit('actor_type=operator')).toMatchObject([
      {
        eventType: 'user.reset_link_created',
        actorType: 'operator',
        actorId: null,
        actorMetadata: { name: 'Operator', role: null, by: 'keyward users reset' },
        ipAddress: null,
      },
    ])
    expect(keyward.output()).not.toContain(url.split('#')[1].slice(32))
  })

  test('users reset prints its link on a terminal, and into no pipe, file or journal', async () => {
    const terminal = runOnTerminal(['users', 'reset', 'ada@example.org'], { env: env() })
    expect(await terminal.exited).toBe(0)
    expect(terminal.shown()).toMatch(/^http:\/\/localhost:\d+\/reset-password#[0-9a-f]{32}[\w-]{43}\n/)
    expect(terminal.shown()).toContain('Hand this link over in a way that you trust')

    const before = (await audit('event_type=user.reset_link_created')).length
    const piped = await run('users', 'reset', 'ada@example.org')
    expect([piped.code, piped.stdout]).toEqual([2, ''])
    expect(piped.stderr).toStartWith('No link was made: standard output is no terminal')
    const journal = join(directory, 'journal')
    const main = new URL('../../src/main.ts', import.meta.url).pathname
    const script = `export JOURNAL_STREAM=$(stat -L -c %d:%i '${journal}'); exec '${process.execPath}' '${main}' users reset ada@example.org --json`
    const logged = Bun.spawnSync(['sh', '-c', script], {
      env: { PATH: process.env.PATH ?? '', ...env() },
      stdout: Bun.file(journal),
      stderr: 'pipe',
    })
    expect(logged.exitCode).toBe(2)
    expect(logged.stderr.toString()).toStartWith('No link was made: standard output is kept in a log')
    expect(await Bun.file(journal).text()).toBe('')
    await rm(journal)
    expect(await audit('event_type=user.reset_link_created')).toHaveLength(before)
  })

  test('make-owner asks on a terminal: no and the end of the input change nothing, yes does it', async () => {
    await invite('grace@example.org')
    const ask = async (answer: string) => {
      const terminal = runOnTerminal(['users', 'make-owner', 'grace@example.org'], { env: env() })
      await eventually('it asks', () => terminal.shown().includes('[y/N] '))
      terminal.type(answer)
      return [await terminal.exited, terminal.shown()] as const
    }
    for (const answer of ['n\n', '\u0004']) {
      const [code, shown] = await ask(answer)
      expect(code).toBe(1)
      expect(shown).toContain('Nothing was changed.')
    }
    expect((await ask('\u0003'))[0]).toBe(1)
    expect((await accounts()).map(({ role }: { role: string }) => role)).toEqual(['Owner', 'Developer'])
    const [code, shown] = await ask('yes\n')
    expect(shown).toContain(
      'Make grace@example.org (Developer) the Owner, and ada@example.org (Owner) an Admin? [y/N] ',
    )
    expect(shown).toContain('grace@example.org is the Owner now, and ada@example.org an Admin.')
    expect(code).toBe(0)
    expect((await accounts()).map(({ role }: { role: string }) => role)).toEqual(['Admin', 'Owner'])
  })

  test('without a terminal make-owner needs --yes', async () => {
    const refused = await runKeyward(['users', 'make-owner', 'ada@example.org'], {
      env: env(),
      input: 'yes\n',
    })
    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain('Nobody can be asked: standard input is no terminal.')
    const done = await run('users', 'make-owner', 'ada@example.org', '--yes', '--json')
    expect(done.code).toBe(0)
    expect(Object.keys(JSON.parse(done.stdout))).toEqual(['ownerId', 'formerOwnerId'])
    expect((await accounts()).map(({ role }: { role: string }) => role)).toEqual(['Owner', 'Admin'])
    const again = await run('users', 'make-owner', 'ada@example.org')
    expect([again.code, again.stderr]).toEqual([
      0,
      'ada@example.org is the Owner already. Nothing was changed.\n',
    ])
  })

  test('two make-owner at once leave one Owner', async () => {
    await invite('alan@example.org')
    const ran = await Promise.all(
      ['grace', 'alan'].map((name) => run('users', 'make-owner', `${name}@example.org`, '--yes')),
    )
    const owners = (await accounts()).filter(({ role }: { role: string }) => role === 'Owner')
    expect(owners).toHaveLength(1)
    for (const { code, stderr } of ran) {
      expect([0, 1]).toContain(code as number)
      if (code === 1) expect(stderr).toStartWith('The Owner has changed meanwhile')
    }
    expect((await run('users', 'make-owner', 'ada@example.org', '--yes')).code).toBe(0)
  })

  test('errors say what is wrong and what would be right', async () => {
    for (const [args, code, words] of [
      [
        ['users', 'reset', 'nobody@example.org', '--json'],
        1,
        'No account has the e-mail address nobody@example.org',
      ],
      [
        ['users', 'make-owner', 'nobody@example.org'],
        1,
        'No account has the e-mail address nobody@example.org',
      ],
      [['usres'], 2, 'Unknown command: usres. Did you mean users?'],
      [['jobs', 'retry', 'x'], 1, 'Failed job not found.'],
    ] as const) {
      const ran = await run(...args)
      expect([ran.code, ran.stdout]).toEqual([code, ''])
      expect(ran.stderr).toContain(words)
    }
    await post('password/register/', { email: 'outsider@example.org', password: 'correct horse battery' })
    const outsider = await run('users', 'make-owner', 'outsider@example.org', '--yes')
    expect([outsider.code, outsider.stdout]).toEqual([1, ''])
    expect(outsider.stderr).toStartWith('outsider@example.org has an account, but is not a member')
  })

  test('help is on standard output, and ends with 0', async () => {
    for (const args of [['--help'], ['users', 'reset', '--help']]) {
      const { code, stdout, stderr } = await run(...args)
      expect([code, stderr]).toEqual([0, ''])
      expect(stdout).toStartWith('keyward ')
    }
  })

  test('with passwords off, reset says so and makes no link', async () => {
    const off = await runKeyward(['users', 'reset', 'ada@example.org', '--json'], {
      env: { ...env(), ENABLE_PASSWORD_AUTH: 'false' },
    })
    expect([off.code, off.stdout]).toEqual([1, ''])
    expect(off.stderr).toStartWith('Password authentication is off (ENABLE_PASSWORD_AUTH)')
  })

  test('another SERVER_SECRET makes nobody the Owner', async () => {
    const ran = await runKeyward(['users', 'make-owner', 'grace@example.org', '--yes'], {
      env: { ...env(), SERVER_SECRET: 'ab'.repeat(32) },
    })
    expect(ran.code).toBe(1)
    expect(ran.stderr).toStartWith('SERVER_SECRET is not the one')
  })

  test('jobs are listed, enqueued again and dropped', async () => {
    expect(await run('jobs', 'list')).toMatchObject({ code: 0, stdout: 'No job has failed for good.\n' })
    expect(await run('jobs', 'list', '--json')).toMatchObject({ code: 0, stdout: '{"data":[]}\n' })
    expect(await run('jobs', 'retry', '--all')).toMatchObject({
      code: 0,
      stdout: '0 jobs were enqueued again.\n',
    })
    expect(await run('jobs', 'drop', '--all', '--json')).toMatchObject({ code: 0, stdout: '{"count":0}\n' })
  })

  test('after all that Keyward goes on', async () => {
    expect((await call(keyward, 'GET', '/service/ready/')).status).toBe(200)
    expect((await signIn(keyward)).status).toBe(200)
  })
})

describe('while nothing runs', () => {
  beforeAll(() => keyward.stop())

  test('the database is started for the command and stopped again', async () => {
    expect(await accounts()).toHaveLength(4)
    expect(await postgresPort(directory)).toBeNull()
  })

  test('commands at once share it, and each is done', async () => {
    const ran = await Promise.all(Array.from({ length: 4 }, () => run('users', 'list', '--json')))
    for (const { code, stdout, stderr } of ran) {
      expect([code, stderr]).toEqual([0, ''])
      expect(JSON.parse(stdout).data).toHaveLength(4)
    }
    expect(await postgresPort(directory)).toBeNull()
  })

  test('a link that was made then is good once Keyward serves', async () => {
    const { url } = JSON.parse((await run('users', 'reset', 'grace@example.org', '--json')).stdout)
    keyward = await readyKeyward({ env: env() })
    const body = { token: url.split('#')[1], new_password: 'another password' }
    expect((await post('password/reset/', body)).status).toBe(204)
    await keyward.stop()
  })

  test('a command that is interrupted while it asks stops the database, and has changed nothing', async () => {
    const terminal = runOnTerminal(['users', 'make-owner', 'grace@example.org'], { env: env() })
    await eventually('it asks', () => terminal.shown().includes('[y/N] '))
    expect(await postgresPort(directory)).toBeGreaterThan(0)
    terminal.type('\u0003')
    expect(await terminal.exited).toBe(1)
    expect(await postgresPort(directory)).toBeNull()
  })

  test('after kill -9 a command stops the database that was left', async () => {
    keyward = await readyKeyward({ env: env() })
    await keyward.stop('SIGKILL')
    expect(await accounts()).toHaveLength(4)
    expect(await postgresPort(directory)).toBeNull()
  })

  test('a command makes no database where there is none', async () => {
    const empty = await dataDirectory()
    const { code, stderr } = await runKeyward(['users', 'list'], { env: { KEYWARD_DATA: empty } })
    expect(code).toBe(1)
    expect(stderr).toStartWith(`There is no database in the data directory ${empty}: set KEYWARD_DATA`)
    expect(await Array.fromAsync(new Bun.Glob('**').scan({ cwd: empty, dot: true }))).toEqual([])
  })
})

test('an external database that is away, or that was not set up, is one sentence', async () => {
  const external = { HOST: 'localhost', SECRET_KEY: '5e'.repeat(32), SERVER_SECRET: '5f'.repeat(32) }
  const away = await runKeyward(['users', 'list'], {
    env: { ...external, DATABASE_URL: 'postgres://a:b@127.0.0.1:1/c' },
  })
  expect(away).toEqual({ code: 1, stdout: '', stderr: 'The database cannot be reached at the moment.\n' })
  const missing = await runKeyward(['users', 'list'], {
    env: { DATABASE_URL: 'postgres://a:b@127.0.0.1:1/c' },
  })
  expect(missing.code).toBe(1)
  expect(missing.stderr.match(/^[A-Z_]+(?= is not set)/gm)).toEqual(['HOST', 'SECRET_KEY', 'SERVER_SECRET'])
})

test('a schema that is older than the program is one sentence', async () => {
  const { config, drop } = await emptyDatabase()
  const external = { HOST: 'localhost', SECRET_KEY: '5e'.repeat(32), SERVER_SECRET: '5f'.repeat(32) }
  const { code, stderr } = await runKeyward(['users', 'list'], {
    env: { ...external, DATABASE_URL: databaseUrl(config) },
  })
  await drop()
  expect(code).toBe(1)
  expect(stderr).toMatch(
    /^The database schema is at version 0 and must be at \d+: run "keyward migrate"\.\n$/,
  )
})
