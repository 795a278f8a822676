import { afterAll, beforeAll, expect, test } from 'bun:test'
import packageJson from '../../package.json' with { type: 'json' }
import { eventually } from '../support/eventually.ts'
import { freePort } from '../support/free-port.ts'
import { images } from '../support/images/build.ts'
import { statusOf } from '../support/keyward.ts'
import { call, register, signIn } from '../support/keyward-api.ts'
import { CERTIFICATE, startGateway } from '../support/smtp-gateway.ts'
import { type Deployment, startDeployment } from './support/deployment.ts'
import { docker, inspect, RESTRICTED } from './support/docker.ts'

const containers = new Set<string>()
const volumes = new Set<string>()
let deployment: Deployment

beforeAll(async () => {
  deployment = await startDeployment()
  await deployment.migrate()
}, 900_000)
afterAll(async () => {
  for (const id of containers) await docker('rm', '--force', '--volumes', id)
  for (const name of volumes) await docker('volume', 'rm', name)
  await deployment?.remove()
}, 60_000)

/** Starts the image with a port of this machine, and polls a path until it answers 200. */
async function run(path: string, options: readonly string[], command: readonly string[]) {
  const port = freePort()
  const publish = `127.0.0.1:${port}:8080`
  const id = await docker('create', '--publish', publish, ...options, images.keyward, ...command)
  containers.add(id)
  const url = `http://127.0.0.1:${port}`
  await docker('start', id)
  await answers(url, path, id)
  const answered = Date.now()
  const since = Date.parse(String(await inspect(id, '{{json .State.StartedAt}}')))
  return { id, url, seconds: (answered - since) / 1000 }
}

async function answers(url: string, path: string, id: string): Promise<void> {
  const isThere = async () => (await statusOf(`${url}${path}`)) === 200
  await eventually(`${path} answers`, isThere, 30).catch(async (error: Error) => {
    throw new Error(`${error.message}\n${await docker('logs', id)}`)
  })
}

const exec = (id: string, ...command: string[]) => docker('exec', id, ...command)

const report = (what: string, value: string) => console.log(`${what}: ${value}`)

test('the image runs as an unprivileged user, has labels, and adds less than 220 MB to its base', async () => {
  expect(await inspect(images.keyward, '{{json .Config}}')).toMatchObject({
    User: '65532:65532',
    Entrypoint: ['keyward'],
    Cmd: ['serve'],
    StopSignal: 'SIGTERM',
    ExposedPorts: { '8080/tcp': {} },
    Volumes: { '/data': {} },
    Healthcheck: { Test: ['CMD', 'keyward', 'health'] },
    Env: expect.arrayContaining(['BIND_ADDRESS=0.0.0.0', 'KEYWARD_DATA=/data']),
    Labels: {
      'org.opencontainers.image.title': 'Keyward',
      'org.opencontainers.image.licenses': packageJson.license,
      'org.opencontainers.image.version': packageJson.version,
      'org.opencontainers.image.revision': 'unknown',
      'org.opencontainers.image.source': 'https://github.com/keyward/keyward',
      'org.opencontainers.image.base.name': images.runtime,
    },
  })
  const license = ['--entrypoint', 'cat', images.keyward, '/opt/keyward/LICENSE']
  expect(await docker('run', '--rm', ...license)).toContain('Apache License')
  const bytes = (name: string) => inspect(name, '{{json .Size}}').then(Number)
  const [all, base] = [await bytes(images.keyward), await bytes(images.runtime)]
  const megabytes = (count: number) => `${(count / 1e6).toFixed(0)} MB`
  report('Image size', `${megabytes(all)}, ${megabytes(all - base)} of them beyond its base`)
  expect(all - base).toBeLessThan(220e6)
})

test('by default it is built with the Bun that the tests run on', async () => {
  const dockerfile = await Bun.file(new URL('../../Dockerfile', import.meta.url)).text()
  expect(dockerfile).toContain(`ARG BUN_IMAGE=oven/bun:${Bun.version}-slim\n`)
})

test('one command runs all of Keyward, and its volume keeps everything for the next one', async () => {
  const volume = await docker('volume', 'create')
  volumes.add(volume)
  const options = [...RESTRICTED, '--volume', `${volume}:/data`]
  const first = await run('/service/ready/', options, [])
  report('First start of serve, database made', `${first.seconds.toFixed(2)} s`)
  expect((await register(first)).status).toBe(201)
  for (const path of ['/', '/config.json', '/swagger/swagger-ui.css', '/swagger/json', '/api/health']) {
    expect(await statusOf(`${first.url}${path}`)).toBe(200)
  }
  expect(await exec(first.id, 'stat', '--format=%u %a', '/data/secrets/SERVER_SECRET')).toBe('65532 600')
  const secret = await exec(first.id, 'cat', '/data/secrets/SERVER_SECRET')
  await docker('stop', '--time', '25', first.id)
  expect(await inspect(first.id, '{{json .State.ExitCode}}')).toBe(0)
  expect(await docker('logs', first.id)).toContain(
    `Keyward v${packageJson.version} is running at http://localhost:8080`,
  )

  const second = await run('/service/ready/', options, ['serve'])
  report('Next start of serve', `${second.seconds.toFixed(2)} s`)
  expect((await signIn(second)).status).toBe(200)
  expect(await exec(second.id, 'cat', '/data/secrets/SERVER_SECRET')).toBe(secret)
  expect(JSON.parse(await exec(second.id, 'keyward', 'users', 'list', '--json')).data).toHaveLength(1)
  await exec(second.id, 'keyward', 'health')
}, 120_000)

test('it sends mail as HTML and as plain text', async () => {
  const gateway = await startGateway()
  const port = freePort()
  const environment = {
    PORT: String(port),
    BIND_ADDRESS: '127.0.0.1',
    SMTP_HOST: 'localhost',
    SMTP_PORT: String(gateway.port),
    SMTP_FROM: 'keyward@example.org',
    SMTP_CA: CERTIFICATE,
  }
  const options = Object.entries(environment).flatMap(([name, value]) => ['--env', `${name}=${value}`])
  // The host's network, where the gateway is.
  const id = await docker('create', '--network=host', ...RESTRICTED, ...options, images.keyward)
  containers.add(id)
  await docker('start', id)
  const url = `http://127.0.0.1:${port}`
  await answers(url, '/service/ready/', id)
  expect((await register({ url })).status).toBe(201)
  const forgot = { email: 'ada@example.org' }
  const { status } = await call({ url }, 'POST', '/service/auth/password/forgot/', { body: forgot })
  expect(status).toBe(204)
  await eventually('the mail has come', () => gateway.received.length > 0, 30).catch(async (error: Error) => {
    throw new Error(`${error.message}\n${await docker('logs', id)}`)
  })
  const [mail] = gateway.received
  expect(mail?.to).toEqual(['ada@example.org'])
  expect(mail?.header('From')).toEqual(['Keyward <keyward@example.org>'])
  for (const part of ['text/plain', 'text/html', 'DOCTYPE html']) expect(mail?.text).toContain(part)
  await docker('stop', '--time', '25', id)
  await gateway.stop()
}, 120_000)

test('after a kill the next start works', async () => {
  const { id, url } = await run('/service/ready/', RESTRICTED, [])
  expect((await register({ url })).status).toBe(201)
  await docker('kill', id)
  await docker('start', id)
  await answers(url, '/service/ready/', id)
  expect((await signIn({ url })).status).toBe(200)
}, 120_000)

test('a backend runs as any user, without a shell and on a read-only file system', async () => {
  const environment = Object.entries(deployment.environment).flatMap(([name, value]) => [
    '--env',
    `${name}=${value}`,
  ])
  const shells = ['/usr/bin/dash', '/usr/bin/bash'].map((path) => `--volume=/dev/null:${path}:ro`)
  const strict = ['--read-only', '--cap-drop=ALL', '--user=12345:0', ...shells]
  const network = `--network=${deployment.network}`
  const { id, seconds } = await run('/service/health/', [...strict, network, ...environment], ['backend'])
  report('First response of a backend after the start of its container', `${seconds.toFixed(2)} s`)
  await expect(exec(id, 'sh', '-c', 'true')).rejects.toThrow('docker exec')
  await exec(id, 'keyward', 'health')
  await exec(id, 'keyward', 'migrate', '--wait', '--timeout', '1')
  report('Memory of a backend at rest', await docker('stats', '--no-stream', '--format={{.MemUsage}}', id))
}, 60_000)

test('an unknown command or a missing setting ends it with an error message', async () => {
  await expect(docker('run', '--rm', images.keyward, 'fronted')).rejects.toThrow('keyward [command]')
  await expect(docker('run', '--rm', images.keyward, 'frontend')).rejects.toThrow('HOST is not set')
})
