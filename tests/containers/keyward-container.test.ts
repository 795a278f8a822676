import { afterAll, beforeAll, expect, test } from 'bun:test'
import { images } from '../support/images/build.ts'
import { KeywardContainer, type StartedKeywardContainer } from '../support/keyward-container.ts'
import { prepare } from './support/deployment.ts'

let free: StartedKeywardContainer
let closed: StartedKeywardContainer
let guarded: StartedKeywardContainer

beforeAll(async () => {
  await prepare()
  ;[free, closed, guarded] = await Promise.all([
    new KeywardContainer(images.keyward).withPlan('free').start(),
    new KeywardContainer(images.keyward).withPasswordAuth(false).start(),
    new KeywardContainer(images.keyward).withEnvironment({ SETUP_TOKEN: '5a'.repeat(32) }).start(),
  ])
}, 900_000)
afterAll(async () => {
  await Promise.all([free?.stop(), closed?.stop(), guarded?.stop()])
}, 60_000)

const roles = (keyward: StartedKeywardContainer, token: string, init: RequestInit = {}) =>
  fetch(`${keyward.getBaseUrl()}/v1/roles/`, {
    ...init,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  })

test('createOwner gives a token of the Owner, and the plan is the one that was asked for', async () => {
  const token = await free.createOwner()
  const list = (await (await roles(free, token)).json()) as { data: { name: string }[] }
  expect(list.data.map(({ name }) => name)).toContain('Owner')
  const body = JSON.stringify({ name: 'Auditor', permissions: { permissions: {}, app_permissions: {} } })
  const custom = await roles(free, token, { method: 'POST', body })
  expect(custom.status).toBe(403)
  expect(((await custom.json()) as { error: string }).error).toContain('plan')
})

test('createOwner says what Keyward refused', async () => {
  await expect(free.createOwner({ email: 'no address' })).rejects.toThrow(
    /^Keyward answers 4\d\d to POST \/service\/auth\/password\/register\/: /,
  )
})

test('createOwner states the SETUP_TOKEN that was set', async () => {
  expect(await guarded.createOwner()).toStartWith('kw_pat_')
})

test('without password authentication nobody can register', async () => {
  await expect(closed.createOwner()).rejects.toThrow('createOwner takes password authentication')
  const answer = await fetch(`${closed.getBaseUrl()}/service/auth/password/register/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'ada@example.org', password: 'correct horse battery' }),
  })
  expect(answer.status).toBe(403)
})

test('it runs as an ordinary user, on a root file system that nobody can write', async () => {
  const { output } = await free.exec(['id', '-u'])
  expect(output.trim()).toBe('65532')
  for (const path of ['/x', '/opt/keyward/x', '/etc/x']) {
    expect((await free.exec(['touch', path])).output).toContain('Read-only file system')
  }
  expect((await free.exec(['keyward', 'health'])).exitCode).toBe(0)
})
