import { afterAll, beforeAll, expect, test } from 'bun:test'

const at = (address: string) => {
  const { pathname, search, hash } = new URL(address, 'http://localhost')
  Object.assign(globalThis, { location: { pathname, search, hash } })
}

let shown = ''
let link: typeof import('../../../src/frontend/app/shell/link-token.ts')
beforeAll(async () => {
  at('/')
  const replaceState = (_state: unknown, _title: string, address: string) => {
    shown = address
  }
  Object.assign(globalThis, { history: { state: null, replaceState } })
  link = await import('../../../src/frontend/app/shell/link-token.ts')
})
afterAll(() => {
  link.forgetLinkToken()
  removeEventListener('hashchange', link.takeLinkToken)
  for (const name of ['location', 'history']) Reflect.deleteProperty(globalThis, name)
})

/** What a page does whose address has a link: the token that it has then, and the address that it shows. */
function taken(address: string) {
  link.forgetLinkToken()
  shown = address
  at(address)
  link.takeLinkToken()
  return { token: link.linkToken(), shown }
}

test.each(['/', '/setup', '/setup/', '/sign-in', '/sign-in?next=/members', '/invite', '/apps/1/secrets'])(
  'the set-up token is taken out of the address on %s, which leads to the set-up',
  (path) => {
    expect(taken(`${path}#setup_token=open%20sesame`)).toEqual({ token: 'open sesame', shown: '/setup' })
  },
)

test('a set-up token is taken as it was set, also where it was not escaped', () => {
  expect(taken('/#setup_token=100%#1').token).toBe('100%#1')
})

test.each(['/invite', '/verify-email/', '/reset-password?x=1'])(
  'the token of a mail is taken out of the address of %s, and the page stays',
  (path) => {
    expect(taken(`${path}#abc`)).toEqual({ token: 'abc', shown: path })
  },
)

test.each(['/setup#abc', '/apps/1/secrets#new', '/members/1/access#by-role', '/invite'])(
  'what is no token stays in the address %s',
  (address) => {
    expect(taken(address)).toEqual({ token: null, shown: address })
  },
)
