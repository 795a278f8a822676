import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { warnOfForeignPasskeys } from '../../../src/core/passkeys/host.ts'
import {
  type VerifiedRegistration,
  verifyAssertion,
  verifyRegistration,
} from '../../../src/core/passkeys/webauthn.ts'
import { api } from '../../support/api.ts'
import { type Deviation, softwareAuthenticator } from '../../support/authenticator.ts'
import { type TestContext, testConfig, testContext } from '../../support/context.ts'
import { addPasskey, visitor } from '../../support/factors.ts'
import { recordedLog } from '../../support/log-recorder.ts'
import { newEmail, PASSWORD, register, signIn } from '../../support/sign-in.ts'

let ctx: TestContext

beforeAll(async () => {
  ctx = await testContext({ RATE_LIMIT_AUTH: 'off' })
})
afterAll(() => ctx.close())

const creation = { challenge: 'challenge', rp: { id: 'localhost' }, user: { id: 'user' } }
const request = { challenge: 'challenge', rpId: 'localhost', allowCredentials: [] }

const registered = (change: Deviation = {}, isExpected = true): Promise<VerifiedRegistration | null> =>
  verifyRegistration(ctx, softwareAuthenticator().create(creation, change), () => isExpected)

describe('a registration', () => {
  test('is verified by origin, RP id, challenge and user verification', async () => {
    expect(await registered()).toMatchObject({ counter: 1 })
    expect(await registered({}, false)).toBeNull()
    for (const change of [{ origin: 'https://localhost' }, { rpId: 'example.org' }, { verified: false }])
      expect(await registered(change)).toBeNull()
  })

  test('is taken without what the authenticator says of itself: its certificates are not even read', async () => {
    const statement = {
      fmt: 'packed',
      attStmt: new Map<string, unknown>([
        ['alg', -7],
        ['sig', new Uint8Array(8)],
        ['x5c', [new Uint8Array(Buffer.from('no certificate'))]],
      ]),
    }
    expect(await registered({ statement })).toMatchObject({ counter: 1 })
  })

  test('that is junk is refused, however deep it is', async () => {
    const passkey = softwareAuthenticator().create(creation)
    const deep = Buffer.alloc(6000, 0x81).toString('base64url')
    for (const attestationObject of ['', 'x', 'oA', deep]) {
      const response = { ...passkey.response, attestationObject }
      expect(await verifyRegistration(ctx, { ...passkey, response }, () => true)).toBeNull()
    }
    for (const clientDataJSON of ['', 'x', 'bnVsbA', 'MQ']) {
      const response = { ...passkey.response, clientDataJSON }
      expect(await verifyRegistration(ctx, { ...passkey, response }, () => true)).toBeNull()
    }
  })
})

test('an assertion of a key that is no key is refused', async () => {
  const authenticator = softwareAuthenticator()
  const passkey = authenticator.get(request)
  for (const key of [new Uint8Array(), new Uint8Array(77), new Uint8Array([0xa0])])
    expect(await verifyAssertion(ctx, passkey, key, () => true)).toBeNull()
})

describe('after a change of HOST', () => {
  test('passkeys of the former one still are a second factor, cannot be used, and are warned of at the start', async () => {
    const service = api(ctx)
    const email = newEmail()
    await register(service, { email })
    const { authenticator, recoveryCodes } = await addPasskey(await signIn(service, email))
    const { log, warnings } = recordedLog()
    await warnOfForeignPasskeys({ ...ctx, log })
    expect(warnings()).toEqual([])

    const config = testConfig({ HOST: 'http://keyward.example.org', RATE_LIMIT_AUTH: 'off' })
    const moved = { ...ctx, log, config: { ...config, allowedHosts: ['localhost'] } }
    await warnOfForeignPasskeys(moved)
    expect(warnings()).toHaveLength(1)
    expect(warnings()[0]).toContain(
      "1 passkeys of 1 people were made for localhost and can't be used at keyward.example.org",
    )
    const person = visitor(api(moved))
    const { body } = await person.post('/password/login', { email, password: PASSWORD })
    expect(body.secondFactor.methods).toEqual(['recovery'])
    const { ticket } = body.secondFactor
    const options = (await person.post('/passkeys/options', { ticket })).body
    expect([options.rpId, options.allowCredentials]).toEqual(['keyward.example.org', []])
    const passkey = authenticator.get(options, { origin: 'http://keyward.example.org' })
    expect((await person.post('/second-factor', { ticket, passkey })).status).toBe(401)
    const [recovery_code] = recoveryCodes ?? []
    expect((await person.post('/second-factor', { ticket, recovery_code })).status).toBe(200)
  })
})
