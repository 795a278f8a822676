import { describe, expect, test } from 'bun:test'
import { unwrapWithSecretKey } from '../../../src/core/keys/wrapping.ts'
import { x25519PublicOf } from '../../../src/core/keys/x25519.ts'
import { readConnectRequest } from '../../../src/frontend/app/connect/request.ts'
import { sealFor } from '../../../src/frontend/app/secrets/opening/sealed-text.ts'

const KEY = 'ab'.repeat(32)
const path = (text: string) => `/webauth/${Buffer.from(text).toString('base64')}`

describe('the address that a command line opens', () => {
  test('names the port, the key and the token, also where its base64 has slashes and plus signs', () => {
    for (const name of ['ingrid@laptop', 'a-b-c', 'büro???', 'ÿÿÿ>>>', 'x']) {
      expect(readConnectRequest(path(`9000-${KEY}-${name}`))).toEqual({ port: 9000, publicKey: KEY, name })
      const escaped = `/webauth/${encodeURIComponent(path(`9000-${KEY}-${name}`).slice(9))}`
      expect(readConnectRequest(escaped)?.name).toBe(name)
    }
    expect(path(`9000-${KEY}-büro???`).slice(9)).toContain('/')
  })

  test('shows no invisible characters of a name, and not more than a token can have', () => {
    expect(readConnectRequest(path(`9000-${KEY}-a\u202eb\u0000c`))?.name).toBe('abc')
    expect([...(readConnectRequest(path(`9000-${KEY}-${'💻'.repeat(80)}`))?.name ?? '')]).toHaveLength(64)
  })

  test.each([
    '/webauth/',
    '/webauth/%',
    '/webauth/!!!',
    '/other/abc',
    path(`-1-${KEY}-x`),
    path(`80-${KEY}-x`),
    path(`65536-${KEY}-x`),
    path(`9e3-${KEY}-x`),
    path(`9000-${KEY.slice(1)}-x`),
    path(`9000-${KEY.toUpperCase()}-x`),
    path(`9000-${KEY}-`),
    path(`9000-${KEY}`),
    `/webauth/${Buffer.from([0xff, 0xfe]).toString('base64')}`,
  ])('%j is none', (address) => expect(readConnectRequest(address)).toBeNull())
})

describe('what is sealed in the browser', () => {
  test('is opened by the holder of the key, as what the server seals, and by nobody else', () => {
    const secret = crypto.getRandomValues(new Uint8Array(32))
    const publicKey = x25519PublicOf(secret)
    const hex = Buffer.from(publicKey).toString('hex')
    const texts = ['ingrid@marlow.example', 'pss_user:v1:…', '', 'é💻']
    const sealed = sealFor(hex, texts)
    expect(sealed.map((text) => unwrapWithSecretKey(text, publicKey, secret))).toEqual(texts)
    expect(new Set(sealed).size).toBe(texts.length)
    const other = crypto.getRandomValues(new Uint8Array(32))
    expect(() => unwrapWithSecretKey(sealed[0] ?? '', x25519PublicOf(other), other)).toThrow()
  })

  test('is nothing for a key that gives no secret', () => {
    expect(() => sealFor('00'.repeat(32), ['x'])).toThrow()
    expect(() => sealFor(`01${'00'.repeat(31)}`, ['x'])).toThrow()
  })
})
