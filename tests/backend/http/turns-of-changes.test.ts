import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { FairLimiter } from '../../../src/platform/limiter.ts'
import { type Answer, api, type Client } from '../../support/api.ts'
import { app, type TestApp } from '../../support/apps.ts'
import { softwareAuthenticator } from '../../support/authenticator.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { addPasskey } from '../../support/factors.ts'
import { type IdentityProvider, startIdentityProvider } from '../../support/identity-provider.ts'
import { runJobs } from '../../support/jobs.ts'
import { member, roleOf } from '../../support/people.ts'
import { permissionOf, type Route } from '../../support/permission-table.ts'
import { seal, sealedSecret, secretsOf } from '../../support/secrets.ts'
import { type Browser, newEmail, PASSWORD, register, signIn } from '../../support/sign-in.ts'
import { redirectUri } from '../../support/sso.ts'
import { statementsOf } from '../../support/statements.ts'

let ctx: TestContext
let service: ReturnType<typeof api>
let idp: IdentityProvider
let session: Browser
let ada: Client
let bearer: Client
let shop: TestApp

beforeAll(async () => {
  idp = await startIdentityProvider([redirectUri('keycloak')])
  ctx = await testContext({
    ...idp.variables('keycloak'),
    SMTP_HOST: 'mail.example.org',
    SMTP_FROM: 'keyward@example.org',
  })
  service = api(ctx)
  const email = newEmail()
  await register(service, { email })
  session = await signIn(service, email)
  bearer = service.as(session.token)
  ada = service.as((await bearer.post('/v1/tokens', { name: 'laptop' })).body.token)
  shop = await app(ctx)
})
afterAll(async () => {
  await runJobs(ctx)
  await ctx.close()
  await idp.close()
})

test('no change asks the database for anything but its caller before it has a turn', async () => {
  const changes = await changesOfAll()
  const routes = (service.app.routes as unknown as Route[]).filter(
    (route) => !['GET', 'HEAD', 'OPTIONS'].includes(route.method) && permissionOf(route) !== 'none',
  )
  expect(Object.keys(changes).sort()).toEqual(routes.map(nameOf).sort())

  const answered: string[] = []
  const endTurns = [ctx.limitReads, ctx.limitChanges, ctx.limitRekeys].map(takeAllTurns)
  let answers: Promise<[string, number][]> = Promise.resolve([])
  const statements = await statementsOf(ctx, async () => {
    answers = Promise.all(
      Object.entries(changes).map(async ([name, send]) => {
        const { status } = await send()
        answered.push(name)
        return [name, status] as [string, number]
      }),
    )
    await Bun.sleep(500)
  })
  expect({ answered, statements: statements.filter((text) => !isOfCaller(text)) }).toEqual({
    answered: [],
    statements: [],
  })
  for (const end of endTurns) end()
  // What is no change at all would ask for nothing, either.
  const refused = (await answers).filter(
    ([, status]) => [400, 405, 415, 422].includes(status) || status >= 500,
  )
  expect(refused).toEqual([])
})

const nameOf = ({ method, path }: Route) => `${method} ${path.replace(/(.)\/$/, '$1')}`

/** The look-ups of tokens and sessions, which have turns of their own. */
const isOfCaller = (text: string) => text.includes(' as credential_id')

/** Takes every turn that there is, each in a share of its own; gives what ends them. */
function takeAllTurns(limiter: FairLimiter): () => void {
  const ends: (() => void)[] = []
  for (let n = 0; limiter.isFree(`other ${n}`); n++) {
    const end = limiter.tryToEnter(`other ${n}`)
    if (end !== null) ends.push(end)
  }
  return () => {
    for (const end of ends) end()
  }
}

/** A request for each route that changes something and knows its caller. */
async function changesOfAll(): Promise<Record<string, () => Promise<Answer>>> {
  const at = `app_id=${shop.id}&env=production`
  const environmentId = shop.environments[1]?.id ?? ''
  const created = async (path: string, body: object) => (await ada.post(path, body)).body
  const role = await created('/v1/roles', {
    name: 'Reader',
    permissions: { permissions: {}, app_permissions: {} },
  })
  const robot = await created('/v1/service-accounts', {
    name: 'robot',
    role_id: (await roleOf(ctx, 'service')).id,
  })
  const invite = await created('/v1/members/invites', { email: newEmail(), role_id: role.id })
  const other = await bearer.post('/v1/tokens', { name: 'other' })
  const grace = await member(ctx, 'developer')
  const [secret] = await created(`/v1/secrets/?${at}`, { secrets: [{ key: 'KEY', value: 'value' }] })
  const { id: passkeyId } = await addPasskey(session)
  const passkey = softwareAuthenticator().create((await session.post('/passkeys/registration', {})).body)
  const [{ id: sessionId }] = (await session.get('/sessions')).body.data
  const sealed = (method: 'POST' | 'PUT' | 'DELETE', secrets: unknown) => () =>
    secretsOf(ada, environmentId)(method, secrets)
  const plain = (method: string, secrets: unknown) => () =>
    ada.send(method, `/v1/secrets/?${at}`, { body: JSON.stringify({ secrets }), headers: JSON_BODY })
  const override = { value: 'own', isActive: true }
  const access = { apps: [] }
  return {
    'POST /v1/roles': () =>
      ada.post('/v1/roles', { name: 'Writer', permissions: { permissions: {}, app_permissions: {} } }),
    'PUT /v1/roles/:id': () => ada.put(`/v1/roles/${role.id}`, { name: 'Renamed' }),
    'DELETE /v1/roles/:id': () => ada.delete(`/v1/roles/${role.id}`),
    'PUT /v1/members/:id': () => ada.put(`/v1/members/${grace.id}`, { role_id: role.id }),
    'DELETE /v1/members/:id': () => ada.delete(`/v1/members/${grace.id}`),
    'PUT /v1/members/:id/access': () => ada.put(`/v1/members/${grace.id}/access`, access),
    'POST /v1/members/invites': () =>
      ada.post('/v1/members/invites', { email: newEmail(), role_id: role.id }),
    'POST /v1/members/invites/:id/resend': () => ada.post(`/v1/members/invites/${invite.id}/resend`),
    'DELETE /v1/members/invites/:id': () => ada.delete(`/v1/members/invites/${invite.id}`),
    'POST /v1/service-accounts': () =>
      ada.post('/v1/service-accounts', { name: 'another', role_id: role.id }),
    'PUT /v1/service-accounts/:id': () => ada.put(`/v1/service-accounts/${robot.id}`, { name: 'renamed' }),
    'DELETE /v1/service-accounts/:id': () => ada.delete(`/v1/service-accounts/${robot.id}`),
    'PUT /v1/service-accounts/:id/access': () => ada.put(`/v1/service-accounts/${robot.id}/access`, access),
    'POST /v1/service-accounts/:id/tokens': () =>
      ada.post(`/v1/service-accounts/${robot.id}/tokens`, { name: 'new' }),
    'DELETE /v1/service-accounts/:id/tokens/:token_id': () =>
      ada.delete(`/v1/service-accounts/${robot.id}/tokens/${robot.initialToken.id}`),
    'POST /v1/tokens': () => bearer.post('/v1/tokens', { name: 'new' }),
    'DELETE /v1/tokens/:id': () => ada.delete(`/v1/tokens/${other.body.id}`),
    'POST /v1/apps': () => ada.post('/v1/apps', { name: 'Another' }),
    'PUT /v1/apps/:id': () => ada.put(`/v1/apps/${shop.id}`, { name: 'Renamed' }),
    'DELETE /v1/apps/:id': () => ada.delete(`/v1/apps/${shop.id}`),
    'POST /v1/environments': () => ada.post(`/v1/environments?app_id=${shop.id}`, { name: 'Another' }),
    'PUT /v1/environments/:id': () => ada.put(`/v1/environments/${environmentId}`, { name: 'Renamed' }),
    'POST /v1/environments/:id/rekey': () => ada.post(`/v1/environments/${environmentId}/rekey`),
    'POST /v1/environments/:id/secrets/restore': () =>
      ada.post(`/v1/environments/${environmentId}/secrets/restore`, { at: ctx.clock.now().toISOString() }),
    'DELETE /v1/environments/:id': () => ada.delete(`/v1/environments/${environmentId}`),
    'PUT /v1/organisation': () => ada.put('/v1/organisation', { name: 'Renamed' }),
    'POST /v1/secrets': plain('POST', [{ key: 'ANOTHER', value: 'value', override }]),
    'PUT /v1/secrets': plain('PUT', [{ id: secret.id, value: 'changed', override }]),
    'DELETE /v1/secrets': plain('DELETE', [secret.id]),
    'POST /v1/secrets/import': () =>
      ada.post(`/v1/secrets/import/?${at}`, { format: 'dotenv', content: 'NEW=value' }),
    'POST /service/secrets': sealed('POST', [sealedSecret('SEALED', 'value', { override: SEALED_OVERRIDE })]),
    'PUT /service/secrets': sealed('PUT', [{ id: secret.id, override: SEALED_OVERRIDE }]),
    'DELETE /service/secrets': sealed('DELETE', [secret.id]),
    'POST /v1/secrets/:id/restore': () => ada.post(`/v1/secrets/${secret.id}/restore`, { version: 1 }),
    'PUT /v1/secrets/:id/override': () => ada.put(`/v1/secrets/${secret.id}/override`, SEALED_OVERRIDE),
    'DELETE /v1/secrets/:id/override': () => ada.delete(`/v1/secrets/${secret.id}/override`),
    'POST /service/auth/password/change': () =>
      session.post('/password/change', { current_password: PASSWORD, new_password: `${PASSWORD} 2` }),
    'POST /service/auth/invites/accept': () => session.post('/invites/accept', { token: 'x' }),
    'POST /service/auth/session': () => session.post('/session'),
    'POST /service/auth/logout': () => session.post('/logout'),
    'DELETE /service/auth/sessions/:id': () => session.delete(`/sessions/${sessionId}`),
    'POST /service/auth/totp': () => session.post('/totp', {}),
    'POST /service/auth/totp/confirm': () => session.post('/totp/confirm', { totp: '123456' }),
    'DELETE /service/auth/totp': () => session.delete('/totp'),
    'POST /service/auth/recovery-codes': () => session.post('/recovery-codes', {}),
    'POST /service/auth/passkeys/registration': () => session.post('/passkeys/registration', {}),
    'POST /service/auth/passkeys': () => session.post('/passkeys', { name: 'Key', passkey }),
    'DELETE /service/auth/passkeys/:id': () => session.delete(`/passkeys/${passkeyId}`),
    'POST /service/auth/ownership/transfer': () =>
      session.post('/ownership/transfer', { member_id: grace.id, totp: '123456' }),
    'POST /service/auth/sso/:provider/link': () => session.post('/sso/keycloak/link', {}),
    'DELETE /service/auth/sso/:provider/link': () => session.delete('/sso/keycloak/link'),
  }
}

const JSON_BODY = { 'content-type': 'application/json' }
const SEALED_OVERRIDE = { value: seal('own'), is_active: true }
