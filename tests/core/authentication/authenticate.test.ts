import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  authenticate,
  authenticateCookie,
  authenticateSessionToken,
} from '../../../src/core/authentication/authenticate.ts'
import { newToken } from '../../../src/core/tokens/token-text.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import {
  type Account,
  member,
  owner,
  type Person,
  phaseToken,
  serviceAccount,
  session,
  user,
} from '../../support/people.ts'

const source = { ipAddress: null, userAgent: null, requestId: 'x' }

let ctx: TestContext
let ada: Person
let robot: Account

beforeAll(async () => {
  ctx = await testContext()
  await owner(ctx)
  ada = await member(ctx, 'developer')
  robot = await serviceAccount(ctx, 'service')
})
afterAll(() => ctx.close())

const errorOf = (call: Promise<unknown>) =>
  call.then(
    () => null,
    ({ status, message }) => [status, message],
  )

describe('authenticate', () => {
  test.each(['Bearer', 'bearer', 'Bearer User', 'Bearer ServiceAccount', 'Bearer  User '])(
    'accepts a token after %j',
    async (scheme) => {
      const caller = await authenticate(ctx, `${scheme} ${ada.token}`, source)
      expect(caller).toMatchObject({ type: 'user', id: ada.id, userId: ada.userId, source })
      expect(caller.credential).toMatchObject({ kind: 'token', text: ada.token })
    },
  )

  test.each(['Bearer', 'Bearer User', 'Bearer ServiceAccount', 'bearer user', 'Bearer '])(
    'accepts the bearer of a Phase token after %j, whoever’s word it is',
    async (scheme) => {
      for (const principal of [ada.id, robot.id]) {
        const { bearer } = await phaseToken(ctx, principal)
        const caller = await authenticate(ctx, `${scheme} ${bearer}`, source)
        expect(caller).toMatchObject({ id: principal, credential: { kind: 'token', text: bearer } })
      }
    },
  )

  test('refuses the word of older service tokens, and whatever else is no bearer', async () => {
    const { bearer, text } = await phaseToken(ctx, robot.id)
    for (const header of [
      `Bearer Service ${bearer}`,
      `Bearer Service ${robot.token}`,
      `Bearer ${bearer.toUpperCase().replaceAll(/\d/g, 'A')}`,
      `Bearer ${bearer}0`,
      `Bearer ${bearer.slice(1)}`,
      `Bearer User ${bearer} ${bearer}`,
      `Bearer User ServiceAccount ${bearer}`,
      `Bearer ${text}`,
      bearer,
    ])
      expect(await errorOf(authenticate(ctx, header, source)), header).toEqual([401, 'Invalid token'])
    const unknown = [401, 'Token expired or deleted']
    for (const header of [`Bearer User ${'0'.repeat(64)}`, `Bearer ${text.split(':')[5]}`])
      expect(await errorOf(authenticate(ctx, header, source))).toEqual(unknown)
  })

  test('is 401 for any other header, never another error', async () => {
    const { text, bearer } = await phaseToken(ctx, robot.id)
    const part = fc.constantFrom(
      ...['Bearer', 'bearer', 'Basic', 'User', 'ServiceAccount', 'Service', ' ', '  ', '\t', ':', ',', '='],
      ...[
        text,
        bearer.slice(1),
        `${bearer}0`,
        bearer.toUpperCase(),
        'kw_pat_',
        'kw_sat_',
        'pss_user:v1:',
        'é',
      ],
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(part, fc.string({ maxLength: 8 })), { maxLength: 6 }),
        async (parts) => {
          const [status] = (await errorOf(authenticate(ctx, parts.join(''), source))) ?? []
          expect(status).toBe(401)
        },
      ),
      { numRuns: 1000 },
    )
  })

  test('finds the user of a session token, with and without a membership', async () => {
    const withMembership = await authenticate(ctx, `Bearer ${await session(ctx, ada.userId)}`, source)
    expect(withMembership).toMatchObject({ id: ada.id, userId: ada.userId, credential: { kind: 'session' } })
    const userId = await user(ctx)
    const without = await authenticate(ctx, `Bearer ${await session(ctx, userId)}`, source)
    expect(without).toMatchObject({ id: null, userId, credential: { kind: 'session' } })
  })

  test('is 401 without a token, with a malformed one, a cookie and an unknown one', async () => {
    const missing = [401, 'Authentication credentials were not provided.']
    for (const header of [null, '', ' '])
      expect(await errorOf(authenticate(ctx, header, source))).toEqual(missing)
    for (const header of [ada.token, 'Bearer', 'Basic YTpi', `Bearer ${newToken('cookie')}`])
      expect(await errorOf(authenticate(ctx, header, source))).toEqual([401, 'Invalid token'])
    for (const kind of ['pat', 'ses'] as const)
      expect(await errorOf(authenticate(ctx, `Bearer ${newToken(kind)}`, source))).toEqual([
        401,
        'Token expired or deleted',
      ])
  })
})

test('authenticateSessionToken is 401 for an access token', async () => {
  expect(await errorOf(authenticateSessionToken(ctx, `Bearer ${ada.token}`, source))).toEqual([
    401,
    'This needs a session, not an access token.',
  ])
})

test('authenticateCookie is 401 without a cookie, and with a session token in its place', async () => {
  const token = await session(ctx, ada.userId)
  expect(await errorOf(authenticateCookie(ctx, null, source))).toEqual([
    401,
    'Authentication credentials were not provided.',
  ])
  expect(await errorOf(authenticateCookie(ctx, token, source))).toEqual([401, 'Invalid session'])
  expect(await errorOf(authenticateCookie(ctx, newToken('cookie'), source))).toEqual([
    401,
    'Token expired or deleted',
  ])
})
