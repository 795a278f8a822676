import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { allowNextLink, createResetLink } from '../../../src/core/operators/accounts.ts'
import { fakeClock } from '../../../src/platform/clock.ts'
import { type Answer, api, type Client } from '../../support/api.ts'
import type { TestApp } from '../../support/apps.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { addPasskey, setUpTotp } from '../../support/factors.ts'
import { lastLink, runJobs } from '../../support/jobs.ts'
import { type MaliciousProvider, startMaliciousProvider } from '../../support/malicious-provider.ts'
import { member, type Person, roleOf, serviceAccount, token } from '../../support/people.ts'
import { newEmail, PASSWORD, register, signIn } from '../../support/sign-in.ts'
import { ssoBrowser } from '../../support/sso.ts'

const MAIL = { SMTP_HOST: 'mail.example.org', SMTP_FROM: 'keyward@example.org', RATE_LIMIT_AUTH: 'off' }

let ctx: TestContext
let idp: MaliciousProvider
let service: ReturnType<typeof api>
let ada: Client & { memberId: string; email: string }
/** May open the environment `open` of the app `Shared`, and nothing else. */
let reader: Person
/** Ids of what the reader can't open; the names of all of it have `hidden` in them. */
const hiddenIds: string[] = []

beforeAll(async () => {
  idp = startMaliciousProvider(fakeClock())
  ctx = await testContext({ ...MAIL, ...idp.variables('acme') })
  service = api(ctx)
  ada = await firstAccount()
  reader = await member(ctx, 'developer')
})
afterAll(async () => {
  await ctx.close()
  await idp.close()
})

async function firstAccount() {
  const email = newEmail()
  const { body } = await register(service, { email })
  return { ...service.as(await token(ctx, body.member.id, 'pat')), memberId: body.member.id, email }
}

async function ok(answer: Promise<Answer>): Promise<Answer['body']> {
  const { status, body } = await answer
  if (status >= 300) throw new Error(`${status}: ${body.error}`)
  return body
}

async function refused(answer: Promise<Answer>): Promise<void> {
  expect((await answer).status).toBe(403)
}

const idsOf = (app: TestApp) => [app.id, ...app.environments.map(({ id }) => id)]
const accessTo = (...apps: TestApp[]) => ({
  apps: apps.map(({ id, environments }) => ({ id, environments: environments.map((one) => one.id) })),
})

/** Makes an app in which the reader can open one environment of several, and one that it can't open at all. */
async function makeApps() {
  const shared: TestApp = await ok(
    ada.post('/v1/apps', { name: 'Shared', environments: ['open', 'hidden-1', 'hidden-2'] }),
  )
  const secret: TestApp = await ok(
    ada.post('/v1/apps', { name: 'Hidden app', description: 'hidden text', environments: ['hidden-3'] }),
  )
  const [open, ...rest] = shared.environments
  await ok(
    ada.put(`/v1/members/${reader.id}/access`, { apps: [{ id: shared.id, environments: [open?.id] }] }),
  )
  hiddenIds.push(...rest.map(({ id }) => id), ...idsOf(secret))
  return { shared, secret }
}

async function changeApps(shared: TestApp, secret: TestApp) {
  await ok(ada.put(`/v1/apps/${shared.id}`, { description: 'For everybody.' }))
  await ok(ada.put(`/v1/apps/${secret.id}`, { name: 'Hidden still' }))
  const added = await ok(ada.post(`/v1/environments?app_id=${shared.id}`, { name: 'hidden-4' }))
  hiddenIds.push(added.id)
  await ok(ada.put(`/v1/environments/${added.id}`, { name: 'hidden-5' }))
  await ok(ada.delete(`/v1/environments/${added.id}`))
  const gone: TestApp = await ok(ada.post('/v1/apps', { name: 'Hidden soon', environments: ['hidden-6'] }))
  hiddenIds.push(...idsOf(gone))
  await ok(ada.delete(`/v1/apps/${gone.id}`))
}

async function changeSecrets({ id, environments: [environment] }: TestApp) {
  const path = `/v1/secrets?app_id=${id}&env=${environment?.name}`
  const [{ id: secretId }] = await ok(ada.post(path, { secrets: [{ key: 'hidden_key', value: 'hidden' }] }))
  hiddenIds.push(secretId)
  await ok(ada.put(path, { secrets: [{ id: secretId, value: 'hidden still' }] }))
  await ok(ada.put(`/v1/secrets/${secretId}/override`, { plain_value: 'hidden too' }))
  await ok(ada.post(`/v1/secrets/${secretId}/restore`, { version: 1 }))
  await ok(ada.get(path))
  await ok(ada.send('DELETE', path, { body: JSON.stringify({ secrets: [secretId] }) }))
  await ok(ada.post(`/v1/environments/${environment?.id}/rekey`, {}))
  return secretId
}

async function changeAccess(shared: TestApp, secret: TestApp) {
  const grace = await member(ctx, 'developer')
  const robot = await serviceAccount(ctx, 'service')
  for (const path of [`/v1/members/${grace.id}`, `/v1/service-accounts/${robot.id}`]) {
    await ok(ada.put(`${path}/access`, accessTo(shared, secret)))
    await ok(ada.put(`${path}/access`, accessTo(secret)))
  }
  const [admin, developer] = [await roleOf(ctx, 'admin'), await roleOf(ctx, 'developer')]
  await ok(ada.put(`/v1/members/${grace.id}`, { role_id: admin.id }))
  await ok(ada.put(`/v1/members/${grace.id}`, { role_id: developer.id }))
  await ok(ada.delete(`/v1/members/${grace.id}`))
  return robot
}

/** Whoever is refused something hidden: a Manager by rules, somebody with an empty role for lack of permissions. */
async function beRefused(shared: TestApp, secret: TestApp, secretId: string, robot: { id: string }) {
  const grace = await member(ctx, 'developer')
  const manager = service.as((await member(ctx, 'manager')).token)
  await refused(manager.put(`/v1/members/${grace.id}/access`, accessTo(secret)))
  await refused(manager.put(`/v1/service-accounts/${robot.id}/access`, accessTo(secret, shared)))
  await refused(manager.post(`/v1/service-accounts/${robot.id}/tokens`, { name: 'more' }))
  const role = await ok(
    ada.post('/v1/roles', { name: 'Nothing', permissions: { permissions: {}, app_permissions: {} } }),
  )
  const nobody = service.as((await member(ctx, { id: role.id })).token)
  const environmentId = secret.environments[0]?.id
  const partId = shared.environments[1]?.id
  const [app, environment, part] = [
    `/v1/apps/${secret.id}`,
    `/v1/environments/${environmentId}`,
    `/v1/environments/${partId}`,
  ]
  for (const path of [app, environment, part]) {
    await refused(nobody.get(path))
    await refused(nobody.put(path, { name: 'hidden-7' }))
    await refused(nobody.delete(path))
  }
  await refused(nobody.get(`/v1/environments?app_id=${secret.id}`))
  await refused(nobody.post(`/v1/environments?app_id=${secret.id}`, { name: 'hidden-8' }))
  await refused(nobody.get(`/v1/access?app_id=${secret.id}&environment_id=${environmentId}`))
  await refused(nobody.put(`/v1/members/${grace.id}/access`, accessTo(secret)))
  await refused(nobody.put(`/v1/service-accounts/${robot.id}/access`, accessTo(secret)))
  await refused(nobody.get(`/v1/secrets/${secretId}/versions`))
  await refused(nobody.post(`/v1/secrets/${secretId}/restore`, { version: 1 }))
  await refused(nobody.put(`/v1/secrets/${secretId}/override`, { plain_value: 'hidden' }))
  await refused(nobody.get('/v1/logs/audit'))
}

async function changeEverythingElse() {
  const permissions = { permissions: { Apps: ['read'] }, app_permissions: {} }
  const role = await ok(ada.post('/v1/roles', { name: 'Custom', permissions }))
  await ok(ada.put(`/v1/roles/${role.id}`, { name: 'Customised' }))
  await ok(ada.delete(`/v1/roles/${role.id}`))
  const role_id = (await roleOf(ctx, 'service')).id
  const account = await ok(ada.post('/v1/service-accounts', { name: 'Robot', role_id }))
  await ok(ada.put(`/v1/service-accounts/${account.id}`, { name: 'Machine' }))
  const made = await ok(ada.post(`/v1/service-accounts/${account.id}/tokens`, { name: 'ci' }))
  await ok(ada.delete(`/v1/service-accounts/${account.id}/tokens/${made.id}`))
  await ok(ada.delete(`/v1/service-accounts/${account.id}`))
  await ok(ada.put('/v1/organisation', { name: 'Acme' }))
  const sentAgain = await ok(ada.post('/v1/members/invites', { email: newEmail(), role_id }))
  ctx.clock.advance(61)
  await ok(ada.post(`/v1/members/invites/${sentAgain.id}/resend`))
  const cancelled = await ok(ada.post('/v1/members/invites', { email: newEmail(), role_id }))
  await ok(ada.delete(`/v1/members/invites/${cancelled.id}`))
}

async function signInAndOut() {
  const email = newEmail()
  const role_id = (await roleOf(ctx, 'developer')).id
  await runJobs(ctx)
  await ok(ada.post('/v1/members/invites', { email, role_id }))
  await runJobs(ctx)
  const invite = lastLink(ctx).token
  await ok(register(service, { email }))
  await runJobs(ctx)
  await ok(service.anonymous.post('/service/auth/email/verify/', { token: lastLink(ctx).token }))
  const grace = await signIn(service, email)
  await ok(grace.post('/invites/accept/', { token: invite }))
  await service.anonymous.post('/service/auth/password/login/', { email, password: 'wrong password' })
  await ok(service.anonymous.post('/service/auth/password/forgot/', { email }))
  await runJobs(ctx)
  const reset = { token: lastLink(ctx).token, new_password: `${PASSWORD}!` }
  await ok(service.anonymous.post('/service/auth/password/reset/', reset))
  const again = await signIn(service, email, `${PASSWORD}!`)
  const change = { current_password: `${PASSWORD}!`, new_password: PASSWORD }
  await ok(again.post('/password/change/', change))
  const browser = ssoBrowser(service)
  const { cookie } = await signIn(service, email)
  browser.plant('keyward_session', cookie.slice(cookie.indexOf('=') + 1), '/')
  expect((await browser.comeBack(await idp.visit(await browser.beginLink('acme')))).status).toBe(302)
  await ok(browser.delete('/service/auth/sso/acme/link/'))
  await runJobs(ctx)
  await ok(browser.post('/service/auth/logout/'))
}

async function changeFactors() {
  const email = newEmail()
  await ok(register(service, { email }))
  await runJobs(ctx)
  await ok(service.anonymous.post('/service/auth/email/verify/', { token: lastLink(ctx).token }))
  const session = await signIn(service, email)
  await setUpTotp(ctx, session)
  const { id } = await addPasskey(session)
  await ok(session.post('/recovery-codes/', {}))
  await ok(service.anonymous.post('/service/auth/password/login/', { email, password: PASSWORD }))
  await ok(session.delete('/totp/'))
  await ok(session.delete(`/passkeys/${id}`))
  await createResetLink(ctx, email)
  await allowNextLink(ctx, email)
  await runJobs(ctx)
}

async function handOver() {
  const admin = await member(ctx, 'admin')
  await ok((await signIn(service, ada.email)).post('/ownership/transfer/', { member_id: admin.id }))
  return service.as(admin.token)
}

async function textOf(client: Client): Promise<string> {
  const pages: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const page: Answer = await client.get(`/v1/logs/audit?limit=7${cursor && `&cursor=${cursor}`}`)
    expect(page.status).toBe(200)
    pages.push(JSON.stringify(page.body.data))
    cursor = page.body.nextCursor
  }
  return pages.join('\n')
}

/** What the code calls its events, where it says so in one word. */
async function eventsInCode(): Promise<string[]> {
  const files = await Array.fromAsync(new Bun.Glob('src/core/**/*.ts').scan())
  const texts = await Promise.all(files.map((file) => Bun.file(file).text()))
  return texts.flatMap((text) =>
    [...text.matchAll(/eventType: '([a-z._]+)'/g)].map((match) => match[1] ?? ''),
  )
}

const COMPOSED = [
  ...['created', 'updated', 'deleted'].flatMap((verb) => [`app.${verb}`, `environment.${verb}`]),
  ...['created', 'updated', 'deleted', 'restored', 'override_changed', 'read'].map(
    (verb) => `secret.${verb}`,
  ),
  ...['member', 'service_account'].flatMap((who) => [
    `${who}.access_changed`,
    `${who}.access_change_refused`,
  ]),
  ...['app', 'environment'].flatMap((what) => [`${what}.read_refused`, `${what}.update_refused`]),
  'user.email_verified',
  'user.password_reset',
]

/** What operators and the housekeeping do to jobs, factors and the log itself: it knows neither apps nor environments. */
const WITHOUT_ENVIRONMENTS = [
  'job.retried',
  'job.dropped',
  'audit_log.entries_deleted',
  'user.second_factors_removed',
]

describe('a Developer who can open one environment of one app', () => {
  let owner: Client

  beforeAll(async () => {
    const { shared, secret } = await makeApps()
    await changeApps(shared, secret)
    const secretId = await changeSecrets(secret)
    const robot = await changeAccess(shared, secret)
    await beRefused(shared, secret, secretId, robot)
    await changeEverythingElse()
    await signInAndOut()
    await changeFactors()
    owner = await handOver()
    await runJobs(ctx)
  })

  test('reads no name and no id of what it cannot open, whatever happened', async () => {
    const text = await textOf(service.as(reader.token))
    expect(hiddenIds.filter((id) => text.includes(id))).toEqual([])
    expect(text.match(/.{0,60}hidden.{0,60}/i)).toBeNull()
    expect(text.includes('"name":"Shared"') && text.includes('"name":"open"')).toBe(true)
  })

  test('reads of it nothing by filters either', async () => {
    for (const id of hiddenIds) {
      const { body } = await service.as(reader.token).get(`/v1/logs/audit?resource_id=${id}`)
      expect(body).toEqual({ data: [], nextCursor: null })
    }
  })

  test('while the Owner reads all of it, and every kind of event was there', async () => {
    const text = await textOf(owner)
    const names = ['Hidden soon', 'hidden-1', 'hidden-3', 'hidden-5', 'hidden-6']
    expect([...hiddenIds, ...names].filter((needle) => !text.includes(needle))).toEqual([])
    const rows = await ctx.db<{ event_type: string }[]>`select distinct event_type from audit_entries`
    const happened = new Set(rows.map(({ event_type }) => event_type))
    const missing = [...(await eventsInCode()), ...COMPOSED].filter(
      (event) => !happened.has(event) && !WITHOUT_ENVIRONMENTS.includes(event),
    )
    expect(missing).toEqual([])
  })

  test('reads that a refused grant was refused only where it can open the environment', async () => {
    const { body } = await owner.get('/v1/logs/audit?event_type=member.access_change_refused')
    const byRule = body.data.filter(({ description }: { description: string }) => /grant/.test(description))
    expect(byRule).toHaveLength(1)
    const seen = await service.as(reader.token).get('/v1/logs/audit?event_type=member.access_change_refused')
    expect(seen.body.data.map(({ description }: { description: string }) => description)).toEqual([
      "You don't have permission to update members.",
    ])
  })
})

test('an id that is not there is as hidden as one that is', async () => {
  const client = service.as(reader.token)
  await refused(client.delete(`/v1/apps/${randomUUID()}`))
  expect((await client.get('/v1/logs/audit?event_type=app.delete_refused')).body.data).toEqual([])
  const permissions = { permissions: { Logs: ['read'] }, app_permissions: {} }
  const role = await ok(ada.post('/v1/roles', { name: 'Only the log', permissions }))
  const blind = service.as((await member(ctx, { id: role.id })).token)
  await refused(blind.get(`/v1/secrets/${randomUUID()}/versions`))
  expect((await blind.get('/v1/logs/audit?event_type=secret.read_refused')).body.data).toEqual([])
})
