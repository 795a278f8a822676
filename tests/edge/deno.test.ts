import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { type TestContext, testContext } from '../support/context.ts'
import { eventually } from '../support/eventually.ts'
import { freePort } from '../support/free-port.ts'
import { owner, type Person } from '../support/people.ts'

const root = join(import.meta.dir, '../..')
const hex = (character: string) => character.repeat(64)

let ctx: TestContext
let ada: Person
let deno: Bun.Subprocess
let url: string

beforeAll(async () => {
  ctx = await testContext()
  ada = await owner(ctx)
  const port = freePort()
  url = `http://127.0.0.1:${port}`
  const { host, port: databasePort, database, username, password } = ctx.database.config
  deno = Bun.spawn(
    [join(root, 'node_modules/deno/deno'), 'run', '-A', '--node-modules-dir=manual', 'src/edge/deno.ts'],
    {
      cwd: root,
      stdout: 'ignore',
      stderr: 'ignore',
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        PORT: String(port),
        HOST: 'localhost',
        SECRET_KEY: hex('a'),
        SERVER_SECRET: hex('b'),
        LOG_LEVEL: 'error',
        DATABASE_HOST: host,
        DATABASE_PORT: String(databasePort),
        DATABASE_NAME: database,
        DATABASE_USER: username,
        DATABASE_PASSWORD: password,
      },
    },
  )
  await eventually(
    'Deno serves',
    async () => (await fetch(`${url}/service/health/`).catch(() => null))?.ok === true,
    25,
  )
}, 30_000)

afterAll(async () => {
  deno.kill('SIGKILL')
  await deno.exited
  await ctx.close()
})

test('the same backend serves roles on Deno', async () => {
  const response = await fetch(`${url}/v1/roles`, { headers: { authorization: `Bearer ${ada.token}` } })
  expect(response.status).toBe(200)
  const { data } = (await response.json()) as { data: { name: string }[] }
  expect(data.map((role) => role.name)).toEqual(['Owner', 'Admin', 'Manager', 'Developer', 'Service'])
})

test('the backend on Deno refuses what it refuses on Bun', async () => {
  expect((await fetch(`${url}/v1/roles`)).status).toBe(401)
  const headers = { authorization: `Bearer ${ada.token}`, 'content-type': 'application/json' }
  const refused = await fetch(`${url}/v1/roles`, { method: 'POST', headers, body: '{"name": "x"}' })
  expect(refused.status).toBe(400)
  expect((await fetch(`${url}/v1/roles`, { method: 'PATCH', headers })).status).toBe(405)
})
