import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import type { SessionState } from '../../../src/frontend/app/api/session.ts'
import { openConsolePage } from '../../support/console-page.ts'

/** What was asked for, with which bearer. */
let asked: string[] = []
/** Answers the question whose a bearer is, where it isn't null. */
let refusalOfMe: Response | null = null
let isRefused = (_bearer: string) => false

const page = openConsolePage((request) => {
  const path = new URL(request.url).pathname.replace(/\/$/, '')
  if (path === '/service/auth/logout') return new Response(null, { status: 204 })
  const bearer = request.headers.get('authorization') ?? ''
  asked.push(`${path} ${bearer}`)
  if (isRefused(bearer)) return Response.json({ error: 'Token expired or deleted' }, { status: 401 })
  if (path !== '/v1/me') return Response.json({ data: [] })
  return refusalOfMe ?? Response.json({ userId: bearer === 'Bearer of Bo' ? 'bo' : 'ana' })
})
const { answer, api } = await import('../../../src/frontend/app/api/client.ts')
const { endSession, holdPage, onSession, startSession } = await import(
  '../../../src/frontend/app/api/session.ts'
)

let states: SessionState[] = []
const stopListening = onSession((state) => states.push(state))
beforeEach(() => {
  page.bearer = 'of Ana'
  holdPage(null)
  signIn('ana')
  asked = []
  states = []
  refusalOfMe = null
  isRefused = () => false
})
afterAll(async () => {
  stopListening()
  // Other files of tests have the same module.
  await endSession()
  page[Symbol.dispose]()
})

const signIn = (id: 'ana' | 'bo') =>
  startSession({
    accessToken: id === 'ana' ? 'of Ana' : 'of Bo',
    expiresAt: new Date(Date.now() + 900_000).toISOString(),
    user: { id },
  })
const askForApps = () => answer(api.v1.apps.get({ query: {} }))
const problemOf = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (error: Error) => error.message,
  )

test('a page goes on after its own account has signed in again', async () => {
  holdPage('ana')
  expect(signIn('ana')).toBe(true)
  expect(states).toEqual(['started'])
  await askForApps()
  expect(asked).toEqual(['/v1/apps Bearer of Ana'])
})

test('a page does not go on after another account has signed in, nor uses its bearer', async () => {
  holdPage('ana')
  page.bearer = 'of Bo'
  expect(signIn('bo')).toBe(false)
  expect(states).toEqual(['replaced'])
  expect(await problemOf(askForApps())).toBe('Another account has signed in in this browser.')
  expect(asked).not.toContain('/v1/apps Bearer of Bo')
})

test('a page whose reader has signed out on it is for whoever signs in', async () => {
  holdPage('ana')
  await endSession()
  expect(signIn('bo')).toBe(true)
})

describe('a bearer that is renewed', () => {
  beforeEach(() => {
    isRefused = (bearer) => bearer === 'Bearer of Ana'
  })

  test('is used where it is of the account whose page it is', async () => {
    holdPage('ana')
    page.bearer = 'of Ana, renewed'
    await askForApps()
    expect(states).toEqual([])
    expect(asked).toEqual([
      '/v1/apps Bearer of Ana',
      '/v1/me Bearer of Ana, renewed',
      '/v1/apps Bearer of Ana, renewed',
    ])
  })

  test('does nothing where it is of another account: the page is replaced', async () => {
    holdPage('ana')
    page.bearer = 'of Bo'
    expect(await problemOf(askForApps())).toBe('Another account has signed in in this browser.')
    expect(await problemOf(askForApps())).toBe('Another account has signed in in this browser.')
    expect(states).toEqual(['replaced', 'replaced'])
    expect(asked).not.toContain('/v1/apps Bearer of Bo')
  })

  test('is not used where nobody can tell whose it is', async () => {
    holdPage('ana')
    page.bearer = 'of Bo'
    refusalOfMe = Response.json({ error: 'The database does not answer.' }, { status: 503 })
    expect(await problemOf(askForApps())).toBe('The database does not answer.')
    expect(states).toEqual([])
    expect(asked).not.toContain('/v1/apps Bearer of Bo')
  })

  test('is asked about only on pages of an account', async () => {
    page.bearer = 'of Bo'
    await askForApps()
    expect(asked).toEqual(['/v1/apps Bearer of Ana', '/v1/apps Bearer of Bo'])
  })
})
