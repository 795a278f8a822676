import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { addMember } from '../../../src/core/members/addition.ts'
import { countAttempt } from '../../../src/core/sign-in/sign-in-limits.ts'
import { bunServe } from '../../../src/platform/http/serve-bun.ts'
import { listen } from '../../../src/platform/http/server.ts'
import { api } from '../../support/api.ts'
import { trailAsText } from '../../support/audit-entries.ts'
import { type TestContext, testConfig, testContext } from '../../support/context.ts'
import { lastLink, runJobs } from '../../support/jobs.ts'
import { recordedLog } from '../../support/log-recorder.ts'
import { owner, roleOf } from '../../support/people.ts'
import { browser, cookieOf, deviceOf, login, newEmail, PASSWORD, register } from '../../support/sign-in.ts'

let ctx: TestContext
let service: ReturnType<typeof api>
let ada: { email: string; device: string }

beforeAll(async () => {
  ctx = await testContext()
  await owner(ctx)
})
afterAll(() => ctx.close())
beforeEach(async () => {
  ctx.clock.advance(3600)
  service = at('192.0.2.1')
  ada = await somebody()
})

const at = (address: string, environment: Record<string, string> = {}) =>
  api({ ...ctx, config: testConfig(environment) }, address)

/** A new account, and the device cookie of the browser that has signed in to it. */
async function somebody(): Promise<{ email: string; device: string }> {
  const email = newEmail()
  await register(service, { email })
  return { email, device: deviceOf((await login(service, email)).headers) ?? '' }
}

/** Attempts from a hundred addresses: more than strangers may try in an hour. */
async function lockOut(email: string): Promise<void> {
  await Promise.allSettled(Array.from({ length: 101 }, (_, i) => countAttempt(ctx, email, `198.51.100.${i}`)))
}

const statusOf = async (email: string, cookie: string, password = PASSWORD, from = service) =>
  (await login(from, email, password, cookie)).status

describe('A browser that has signed in before', () => {
  test('still signs in while strangers have used up the account’s limit, and they do not', async () => {
    await lockOut(ada.email)
    expect(await statusOf(ada.email, '')).toBe(429)
    expect(await statusOf(ada.email.toUpperCase(), ada.device)).toBe(200)
    expect(await statusOf(ada.email, ada.device, 'wrong password')).toBe(401)
    expect(await statusOf(ada.email, '')).toBe(429)
  })

  test('still signs in while strangers at its own address have used up the address’s limit', async () => {
    for (let i = 0; i < 60; i++) await login(service, newEmail(), 'wrong password')
    expect(await statusOf(ada.email, '')).toBe(429)
    expect(await statusOf(ada.email, ada.device)).toBe(200)
  })

  test('also after no more than the registration', async () => {
    const email = newEmail()
    await lockOut(email)
    const device = deviceOf((await register(service, { email })).headers) ?? ''
    expect(await statusOf(email, '')).toBe(429)
    expect(await statusOf(email, device)).toBe(200)
  })

  test('finds its cookie among others of the name, garbage and other cookies', async () => {
    await lockOut(ada.email)
    const junk = `keyward_device=junk; theme=dark; keyward_device=${'x'.repeat(10_000)}; keyward_device; =;`
    expect(await statusOf(ada.email, `${junk} ${ada.device}; x${ada.device}`)).toBe(200)
    expect(await statusOf(ada.email, junk)).toBe(429)
  })

  test('signs in, if a member’s, while requests of strangers from many networks take all turns', async () => {
    const [email, eve] = [newEmail(), await somebody()]
    const userId = (await register(service, { email })).body.user.id
    const { organisation_id: organisationId, ...role } = await roleOf(ctx, 'developer')
    await ctx.db.begin((tx) => addMember(ctx, tx, { organisationId, userId, role }))
    const device = deviceOf((await login(service, email)).headers) ?? ''
    const turns: (() => void)[] = []
    const nextSite = () => `site ${turns.length}`
    while (ctx.limitPublic.isFree(nextSite())) turns.push(await ctx.limitPublic.enter(nextSite()))
    const others = [statusOf(email, ''), statusOf(eve.email, eve.device)]
    const first = Promise.race(others).then(() => 'others')
    expect(await Promise.race([statusOf(email, device), first])).toBe(200)
    for (const end of turns) end()
    expect(await Promise.all(others)).toEqual([200, 200])
  })

  test('is known to the last account and to those before', async () => {
    const both = deviceOf((await login(service, (await somebody()).email, PASSWORD, ada.device)).headers)
    await lockOut(ada.email)
    expect(await statusOf(ada.email, both ?? '')).toBe(200)
  })
})

describe('A device cookie', () => {
  test('of one account is worth nothing for another', async () => {
    const eve = await somebody()
    await lockOut(ada.email)
    expect(await statusOf(ada.email, eve.device)).toBe(429)
  })

  test('brings ten attempts a minute, and then those of a stranger', async () => {
    const attempts = Array.from({ length: 20 }, () => statusOf(ada.email, ada.device, 'wrong password'))
    // One of the ten that strangers at this address have was the sign-in.
    expect((await Promise.all(attempts)).filter((status) => status === 401)).toHaveLength(19)
    const refused = await login(service, ada.email, PASSWORD, ada.device)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60'])
  })

  test('brings a hundred attempts an hour', async () => {
    await lockOut(ada.email)
    let wrong = 0
    for (let minute = 0; minute < 15; minute++, ctx.clock.advance(60)) {
      for (let i = 0; i < 10; i++) {
        if ((await statusOf(ada.email, ada.device, 'wrong password')) === 401) wrong++
      }
    }
    expect(wrong).toBe(100)
  })

  test('says to come back when the sooner of the two limits ends', async () => {
    await lockOut(ada.email)
    for (let i = 0; i < 10; i++) await login(service, ada.email, 'wrong password', ada.device)
    const { headers } = await login(service, ada.email, PASSWORD, ada.device)
    expect(headers.get('retry-after')).toBe('60')
  })

  test('that was stolen stops no other device of the account', async () => {
    const other = deviceOf((await login(service, ada.email)).headers) ?? ''
    const thief = at('203.0.113.9')
    for (let i = 0; i < 40; i++) await login(thief, ada.email, 'wrong password', ada.device)
    expect(await statusOf(ada.email, ada.device, PASSWORD, thief)).toBe(429)
    expect(await statusOf(ada.email, other)).toBe(200)
  })

  test('renewed with every sign-in still brings an account no more than thirty attempts a minute', async () => {
    let { device } = ada
    let successes = 0
    for (let i = 0; i < 45; i++) {
      const { status, headers } = await login(service, ada.email, PASSWORD, device)
      if (status !== 200) continue
      successes++
      device = deviceOf(headers) ?? device
    }
    // Thirty as a device, and nine as a stranger: one was the sign-in before.
    expect(successes).toBe(39)
  })

  test('is void after a change of the password, but for the browser that made it', async () => {
    const session = await login(service, ada.email)
    const cookies = `${cookieOf(session.headers)}; ${ada.device}`
    const body = { current_password: PASSWORD, new_password: 'another passphrase' }
    const { status, headers } = await browser(service, cookies).post('/password/change/', body)
    expect([status, headers.getSetCookie()[0]?.startsWith('keyward_session=;')]).toEqual([204, true])
    await lockOut(ada.email)
    expect(await statusOf(ada.email, ada.device, 'another passphrase')).toBe(429)
    expect(await statusOf(ada.email, deviceOf(headers) ?? '', 'another passphrase')).toBe(200)
  })

  test('is void after a reset of the password, but for the browser that made it', async () => {
    const mailing = at('192.0.2.1', { SMTP_HOST: 'mail.example.org', SMTP_FROM: 'keyward@example.org' })
    const mailed = {
      ...ctx,
      config: testConfig({ SMTP_HOST: 'mail.example.org', SMTP_FROM: 'k@example.org' }),
    }
    await mailing.anonymous.post('/service/auth/password/forgot/', { email: ada.email })
    await runJobs(mailed)
    await lockOut(ada.email)
    const { status, headers } = await mailing.anonymous.post('/service/auth/password/reset/', {
      token: lastLink(ctx).token,
      new_password: 'another passphrase',
    })
    expect(status).toBe(204)
    expect(await statusOf(ada.email, ada.device, 'another passphrase')).toBe(429)
    expect(await statusOf(ada.email, deviceOf(headers) ?? '', 'another passphrase')).toBe(200)
    await runJobs(mailed)
  })

  test('is set by a success alone, whether or not there is such an account', async () => {
    const failures = [
      await login(service, ada.email, 'wrong password'),
      await login(service, ada.email, 'wrong password', ada.device),
      await login(service, newEmail(), 'wrong password', ada.device),
      await register(service, { email: ada.email }),
    ]
    await lockOut(ada.email)
    failures.push(await login(service, ada.email))
    for (const { headers } of failures) expect(headers.getSetCookie()).toEqual([])
  })

  test('changes nothing about the answers for an unknown account', async () => {
    const comparable = async (email: string, cookie: string) => {
      const { status, body, headers } = await login(service, email, 'wrong password', cookie)
      headers.delete('x-request-id')
      return { status, body, headers: [...headers] }
    }
    const [known, unknown] = [newEmail(), newEmail()]
    await register(service, { email: known })
    for (const cookie of ['', 'keyward_device=junk', ada.device]) {
      for (let i = 0; i < 5; i++) {
        expect(await comparable(unknown, cookie)).toEqual(await comparable(known, cookie))
      }
    }
  })

  test('is given, and none is needed, where RATE_LIMIT_AUTH is off', async () => {
    const free = at('192.0.2.1', { RATE_LIMIT_AUTH: 'off' })
    for (let i = 0; i < 30; i++) await login(free, ada.email, 'wrong password', ada.device)
    const { status, headers } = await login(free, ada.email, PASSWORD, ada.device)
    expect([status, deviceOf(headers)]).toEqual([200, expect.stringMatching(/^keyward_device=/)])
  })

  test('opens nothing while password authentication is off', async () => {
    const off = at('192.0.2.1', { ENABLE_PASSWORD_AUTH: 'false' })
    const { status, body, headers } = await login(off, ada.email, PASSWORD, ada.device)
    expect([status, body]).toEqual([403, { error: 'Password authentication is switched off.' }])
    expect(headers.getSetCookie()).toEqual([])
  })

  test('stands in no log, no audit entry and no table', async () => {
    const { log, lines } = recordedLog()
    const logging = api({ ...ctx, log }, '192.0.2.1')
    await login(logging, ada.email, 'wrong password', ada.device)
    const { headers } = await login(logging, ada.email, PASSWORD, ada.device)
    const counters = JSON.stringify(await ctx.db`select * from sign_in_attempts`)
    const text = lines.join() + (await trailAsText(ctx)) + counters
    for (const device of [ada.device, deviceOf(headers) ?? '']) {
      const [id = 'none', , mac = 'none'] = device.replace('keyward_device=', '').split('.')
      expect(text).not.toContain(id)
      expect(text).not.toContain(mac)
    }
  })

  test('travels as a header of its own beside the session’s', async () => {
    const server = listen(bunServe, { port: 0, address: '127.0.0.1' }, () => service.app)
    try {
      const answer = await fetch(`${server.url}/service/auth/password/login/`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email: ada.email, password: PASSWORD }),
      })
      expect(answer.status).toBe(200)
      expect(answer.headers.getSetCookie().map((header) => header.split('=', 1)[0])).toEqual([
        'keyward_session',
        'keyward_device',
      ])
    } finally {
      await server.stop(1)
    }
  })
})

test('of many attempts at the same moment exactly the limit is let through', async () => {
  const unknown = newEmail()
  for (const email of [ada.email, unknown]) {
    const from = at('203.0.113.1')
    const statuses = await Promise.all(
      Array.from({ length: 16 }, () => statusOf(email, '', 'wrong password', from)),
    )
    expect(statuses.toSorted()).toEqual([...Array(10).fill(401), ...Array(6).fill(429)])
  }
})
