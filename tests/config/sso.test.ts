import { describe, expect, test } from 'bun:test'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { backendConfig, backendFaults, certificate, faultsOf, type Variables } from '../support/variables.ts'

const secrets = (name: string) => ({ [`${name}_CLIENT_ID`]: 'id', [`${name}_CLIENT_SECRET`]: 'secret' })
const only = (variables: Variables) => {
  const { providers } = backendConfig(variables).sso
  expect(providers).toHaveLength(1)
  return providers[0]
}

test('a name of the presets and its two credentials are enough', () => {
  expect(only({ SSO_PROVIDERS: 'google', ...secrets('GOOGLE') })).toEqual({
    kind: 'openid',
    id: 'google',
    name: 'Google',
    issuer: 'https://accounts.google.com',
    clientId: 'id',
    clientSecret: 'secret',
    scopes: ['openid', 'profile', 'email'],
    emailVerification: 'email_verified',
    clientAuthentication: null,
  })
  expect(only({ SSO_PROVIDERS: 'github', ...secrets('GITHUB') })).toMatchObject({
    kind: 'github',
    issuer: 'https://github.com',
    scopes: ['read:user', 'user:email'],
  })
})

test('any other name is an OpenID issuer', () => {
  const folder = mkdtempSync(join(tmpdir(), 'keyward-sso-'))
  writeFileSync(join(folder, 'secret'), 'from-a-file\n')
  const variables = {
    SSO_PROVIDERS: 'my-idp',
    MY_IDP_ISSUER: 'https://id.example.org/tenant',
    MY_IDP_CLIENT_ID: 'keyward',
    MY_IDP_CLIENT_SECRET_FILE: join(folder, 'secret'),
    MY_IDP_DISPLAY_NAME: 'Example’s accounts',
    MY_IDP_SCOPES: 'openid email,profile  custom:scope',
  }
  expect(only(variables)).toEqual({
    kind: 'openid',
    id: 'my-idp',
    name: 'Example’s accounts',
    issuer: 'https://id.example.org/tenant',
    clientId: 'keyward',
    clientSecret: 'from-a-file',
    scopes: ['openid', 'email', 'profile', 'custom:scope'],
    emailVerification: 'email_verified',
    clientAuthentication: null,
  })
})

test('providers keep their order; a name may be written in any case', () => {
  const of = (variables: Variables) => backendConfig(variables).sso.providers.map(({ id }) => id)
  const both = { ...secrets('GITHUB'), ...secrets('GOOGLE') }
  expect(of({ SSO_PROVIDERS: 'GitHub, google,', ...both })).toEqual(['github', 'google'])
  expect(of({ NEXT_PUBLIC_NEXTAUTH_PROVIDERS: 'google,github', ...both })).toEqual(['google', 'github'])
  expect(of({ SSO_PROVIDERS: 'google', NEXT_PUBLIC_NEXTAUTH_PROVIDERS: 'github', ...both })).toEqual([
    'google',
  ])
  expect(of({ ...both })).toEqual([])
})

test.each([
  ['https://login.microsoftonline.com', 'https://login.microsoftonline.com/organizations/v2.0'],
  ['https://login.microsoftonline.com/', 'https://login.microsoftonline.com/organizations/v2.0'],
  ['https://login.microsoftonline.com/common/v2.0', 'https://login.microsoftonline.com/common/v2.0'],
])('Microsoft for several tenants by %s', (issuer, expected) => {
  const provider = only({ SSO_PROVIDERS: 'microsoft', MICROSOFT_ISSUER: issuer, ...secrets('MICROSOFT') })
  expect(provider).toMatchObject({ issuer: expected, emailVerification: 'xms_edov' })
})

test.each([
  'https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555/v2.0',
  'HTTPS://Login.MicrosoftOnline.com/common/v2.0',
  'https://login.microsoftonline.us/11111111-2222-3333-4444-555555555555/v2.0',
])('Entra ID under another name is Entra ID: %s', (issuer) => {
  expect(only({ SSO_PROVIDERS: 'entra-id', ENTRA_ID_ISSUER: issuer, ...secrets('ENTRA_ID') })).toMatchObject({
    name: 'entra-id',
    emailVerification: 'xms_edov',
  })
})

const needIssuer = ['microsoft', 'okta', 'keycloak', 'authentik', 'authelia', 'auth0', 'zitadel', 'my-idp']
test.each(needIssuer)('%s needs an issuer, and the fault shows its form', (name) => {
  const prefix = name.toUpperCase().replaceAll('-', '_')
  const [fault, ...more] = backendFaults({ SSO_PROVIDERS: name, ...secrets(prefix) })
  expect(fault).toStartWith(`${prefix}_ISSUER is not set: set it to the issuer of `)
  expect(fault).toContain('of the form https://')
  expect(more).toEqual([])
})

test.each(['google', 'github', 'gitlab', 'jumpcloud'])('%s needs no issuer', (name) => {
  expect(backendFaults({ SSO_PROVIDERS: name, ...secrets(name.toUpperCase()) })).toEqual([])
})

describe('what can not be used is refused in a sentence', () => {
  test.each(['constructor', '__proto__', 'tostring'])('a provider named %s is no preset', (name) => {
    expect(backendFaults({ SSO_PROVIDERS: name }).join()).toContain(name)
  })

  test('credentials that are missing', () => {
    expect(backendFaults({ SSO_PROVIDERS: 'google' })).toEqual([
      'GOOGLE_CLIENT_SECRET is not set: set it, or GOOGLE_CLIENT_SECRET_FILE, to the secret of Keyward at Google.',
      'GOOGLE_CLIENT_ID is not set: set it to the client id of Keyward at Google.',
    ])
  })

  test('a secret that is given twice', () => {
    const variables = { ...secrets('GOOGLE'), GOOGLE_CLIENT_SECRET_FILE: '/y' }
    expect(backendFaults({ SSO_PROVIDERS: 'google', ...variables })).toEqual([
      'GOOGLE_CLIENT_SECRET and GOOGLE_CLIENT_SECRET_FILE are both set; remove one of them.',
    ])
  })

  test('a name that is there twice', () => {
    expect(backendFaults({ SSO_PROVIDERS: 'google,Google', ...secrets('GOOGLE') })).toEqual([
      'SSO_PROVIDERS names google twice.',
    ])
  })

  test.each(['my_idp', '-idp', 'idp-', 'my--idp', '1idp', 'a/b', '..', 'a b', 'é', 'a'.repeat(41)])(
    'the name %s',
    (name) => {
      const [fault, ...more] = backendFaults({ SSO_PROVIDERS: name })
      expect(fault).toStartWith(`SSO_PROVIDERS contains "${name}"; each entry must be a provider's name of `)
      expect(more).toEqual([])
    },
  )

  test.each([
    'id.example.org',
    'ftp://id.example.org',
    'https://id.example.org?x=1',
    'https://id.example.org#x',
    'https://id.example.org/.well-known/openid-configuration',
    'javascript:alert(1)',
    'http://id.example.org',
  ])('the issuer %s', (issuer) => {
    const [fault, ...more] = backendFaults({ SSO_PROVIDERS: 'idp', IDP_ISSUER: issuer, ...secrets('IDP') })
    expect(fault).toStartWith(`IDP_ISSUER is "${issuer}"; it must be `)
    expect(more).toEqual([])
  })

  test('an issuer with credentials, which are not printed', () => {
    const issuer = 'https://user:password@id.example.org'
    expect(backendFaults({ SSO_PROVIDERS: 'idp', IDP_ISSUER: issuer, ...secrets('IDP') })).toEqual([
      'IDP_ISSUER must be an https:// address without credentials, query and fragment.',
    ])
  })

  test('an http issuer, unless they are allowed', () => {
    const variables = { SSO_PROVIDERS: 'idp', IDP_ISSUER: 'http://id.example.org', ...secrets('IDP') }
    expect(backendFaults(variables)[0]).toContain('http:// needs SSO_ALLOW_HTTP_ISSUERS=true')
    expect(backendFaults({ ...variables, SSO_ALLOW_HTTP_ISSUERS: 'true' })).toEqual([])
  })

  test.each(['email profile', 'openid "x"', 'openid é', Array(31).fill('openid').join(' ')])(
    'the scopes %s',
    (scopes) => {
      const [fault, ...more] = backendFaults({
        SSO_PROVIDERS: 'google',
        GOOGLE_SCOPES: scopes,
        ...secrets('GOOGLE'),
      })
      expect(fault).toStartWith('GOOGLE_SCOPES is ')
      expect(more).toEqual([])
    },
  )

  test('a display name that is too long', () => {
    const variables = { SSO_PROVIDERS: 'google', GOOGLE_DISPLAY_NAME: 'x'.repeat(65), ...secrets('GOOGLE') }
    expect(backendFaults(variables)).toEqual([expect.stringContaining('it must be at most 64 characters.')])
  })

  test('the frontend, which has the same settings, refuses them too', () => {
    const faults = faultsOf('frontend', {
      HOST: 'keyward.example.org',
      SSO_PROVIDERS: 'okta',
      ...secrets('OKTA'),
    })
    expect(faults).toEqual([expect.stringContaining('OKTA_ISSUER is not set')])
  })
})

test('a certificate authority is PEM text or the path of a file', () => {
  expect(backendConfig({ SSO_CA: certificate }).sso.ca).toBe(certificate.trim())
  expect(backendFaults({ SSO_CA: '/no/such/file.pem' })).toEqual([
    expect.stringContaining('there is no such file'),
  ])
})

describe('ALLOWED_EMAIL_DOMAINS', () => {
  test.each([
    [undefined, []],
    ['example.org', ['example.org']],
    ['Example.ORG, .example.com,example.org', ['example.org', '.example.com']],
    ['bücher.example', ['xn--bcher-kva.example']],
  ])('%s is %p', (value, domains) => {
    expect(backendConfig({ ALLOWED_EMAIL_DOMAINS: value }).allowedEmailDomains).toEqual(domains as string[])
  })

  test.each(['*', 'a b', '@example.org', 'https://example.org', '10.0.0.1', '[::1]', '.', '..example.org'])(
    '%s is refused',
    (value) => {
      expect(backendFaults({ ALLOWED_EMAIL_DOMAINS: value })).toEqual([
        expect.stringMatching(/^ALLOWED_EMAIL_DOMAINS contains /),
      ])
    },
  )
})
