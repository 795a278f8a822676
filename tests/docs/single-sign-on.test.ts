import { expect, test } from 'bun:test'
import { SSO_PRESETS } from '../../src/config/sso-presets.ts'
import { page } from './pages.ts'

test('the table of providers is that of the program', () => {
  const documented = page('docs/single-sign-on.md')
    .split('\n')
    .flatMap((line) => {
      const [, name, issuer, scopes] = /^\| `([a-z0-9-]+)` \| (.+) \| `([^`]+)` \|$/.exec(line) ?? []
      return name === undefined ? [] : [{ name, issuer: issuer?.replaceAll('`', ''), scopes }]
    })
  const known = [...SSO_PRESETS].map(([name, { issuer, form, scopes }]) => ({
    name,
    issuer: issuer ?? `needed: ${form}`,
    scopes: scopes ?? 'openid profile email',
  }))
  expect(documented).toEqual(known)
})
