import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import sodium from 'libsodium-wrappers'
import {
  generateIdentityKeys,
  identityKeyToX25519Public,
  identityKeyToX25519Secret,
} from '../../../src/core/keys/identity-keys.ts'
import { clientIdentity } from './published-format.ts'
import vectors from './vectors.json' with { type: 'json' }
import { errorOf } from './wire-strings.ts'

const notPublic = 'An identity public key must be an Ed25519 public key of 64 lower-case hex digits.'
const notPrivate = 'An identity private key must be an Ed25519 seed of 64 lower-case hex digits.'

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}

function attempt(convert: () => string): string | undefined {
  try {
    return convert()
  } catch {
    return undefined
  }
}

describe('identity keys', () => {
  test('are a fresh Ed25519 pair: the public key is that of the seed', () => {
    const keys = Array.from({ length: 20 }, generateIdentityKeys)
    for (const { publicKey, privateKey } of keys) {
      expect(privateKey).toMatch(/^[0-9a-f]{64}$/)
      expect(clientIdentity(privateKey).identityPublicKey).toBe(publicKey)
    }
    expect(new Set(keys.map((key) => key.privateKey)).size).toBe(20)
  })

  test('convert to X25519 as libsodium converts them', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (seed) => {
        const client = clientIdentity(hex(seed))
        expect(hex(identityKeyToX25519Public(client.identityPublicKey))).toBe(hex(client.x25519.publicKey))
        expect(hex(identityKeyToX25519Secret(hex(seed)))).toBe(hex(client.x25519.secretKey))
      }),
    )
  })

  test('convert as recorded', () => {
    const { privateKey, publicKey, x25519Public, x25519Secret } = vectors.identity
    expect(hex(identityKeyToX25519Public(publicKey))).toBe(x25519Public)
    expect(hex(identityKeyToX25519Secret(privateKey))).toBe(x25519Secret)
  })

  test('are refused when they are no point of the curve, and never where libsodium takes them', () => {
    let refused = 0
    const property = fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
      const client = attempt(() => hex(sodium.crypto_sign_ed25519_pk_to_curve25519(bytes)))
      const ours = attempt(() => hex(identityKeyToX25519Public(hex(bytes))))
      if (client !== undefined) expect(ours).toBe(client)
      if (ours === undefined) refused += 1
    })
    fc.assert(property, { numRuns: 400 })
    // Half of all y coordinates have no x.
    expect(refused).toBeGreaterThan(100)
    expect(errorOf(() => identityKeyToX25519Public(`02${'0'.repeat(62)}`)).message).toBe(notPublic)
  })

  test('of small order are refused', () => {
    for (const point of [
      '0100000000000000000000000000000000000000000000000000000000000000',
      'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
      '0000000000000000000000000000000000000000000000000000000000000080',
      '0000000000000000000000000000000000000000000000000000000000000000',
      'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
      'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
      '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
      '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
    ]) {
      expect(errorOf(() => identityKeyToX25519Public(point)).message).toBe(notPublic)
    }
  })

  test('that are not 64 lower-case hex digits are refused without being repeated', () => {
    const { publicKey, privateKey } = vectors.identity
    const spoilt = (key: string) => [
      '',
      key.slice(1),
      `${key}0`,
      key.toUpperCase(),
      `${key}\n`,
      `g${key.slice(1)}`,
    ]
    for (const key of spoilt(publicKey)) {
      expect(errorOf(() => identityKeyToX25519Public(key)).message).toBe(notPublic)
    }
    for (const key of spoilt(privateKey)) {
      expect(errorOf(() => identityKeyToX25519Secret(key)).message).toBe(notPrivate)
    }
  })
})
