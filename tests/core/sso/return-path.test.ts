import { expect, test } from 'bun:test'
import { isReturnPath } from '../../../src/core/sso/return-path.ts'

test.each([
  '/',
  '/apps',
  '/apps/',
  '/invite#token',
  '/apps?tab=keys&next=/members',
  '/apps?next=https://example.org/',
  '/apps/a%20b/%C3%A9',
  '/@evil.example',
  '/service/health/',
])('%p is a path of this service', (path) => {
  expect(isReturnPath(path)).toBe(true)
})

test.each([
  '',
  'apps',
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '\\/evil.example',
  '/apps\\..\\evil',
  'https://evil.example',
  'https:evil.example',
  'HTTPS:/evil.example',
  'javascript:alert(1)',
  'data:text/html,x',
  ' //evil.example',
  '\t//evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  '/\r\nset-cookie: keyward_session=x',
  '/\0',
  '/a\u0085b',
  '/ evil',
  '/%2Fevil.example',
  '/%2fevil.example',
  '/%5Cevil.example',
  '/%5cevil.example',
  '/%09/evil.example',
  '/apps%0d%0aset-cookie:%20x=y',
  '/%00',
  '/.//evil.example',
  '/..//evil.example',
  '/apps/..//evil.example',
  '/apps/%2e%2e//evil.example',
  '/./%2Fevil.example',
  '/%',
  '/%E0%A4%A',
  '/é',
  '/／evil.example',
  '/service/auth/sso/keycloak/authorize/',
  '/service/auth',
  '/SERVICE/AUTH/sso/keycloak/authorize',
  '/apps/../service/auth/sso/keycloak/authorize/',
  '/service/%61uth/sso/keycloak/authorize/',
  `/${'a'.repeat(512)}`,
])('%p may lead elsewhere', (path) => {
  expect(isReturnPath(path)).toBe(false)
})
