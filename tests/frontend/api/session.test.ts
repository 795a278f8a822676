import { afterAll, beforeEach, expect, test } from 'bun:test'
import type { SessionState } from '../../../src/frontend/app/api/session.ts'
import { openConsolePage } from '../../support/console-page.ts'

/** Who asked for the apps, by the bearer. */
let asked: (string | null)[] = []

const page = openConsolePage((request) => {
  if (new URL(request.url).pathname === '/service/auth/logout/') return new Response(null, { status: 204 })
  asked.push(request.headers.get('authorization'))
  return Response.json({ data: [] })
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

test('a page goes on after its own account has signed in again', async () => {
  holdPage('ana')
  expect(signIn('ana')).toBe(true)
  expect(states).toEqual(['started'])
  await askForApps()
  expect(asked).toEqual(['Bearer of Ana'])
})

test('a page does not go on after another account has signed in, nor uses its bearer', async () => {
  holdPage('ana')
  expect(signIn('bo')).toBe(false)
  expect(states).toEqual(['replaced'])
  await askForApps()
  expect(asked).not.toContain('Bearer of Bo')
})

test('a page whose reader has signed out on it is for whoever signs in', async () => {
  holdPage('ana')
  await endSession()
  expect(signIn('bo')).toBe(true)
})
