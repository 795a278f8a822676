import { describe, expect, test } from 'bun:test'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { environmentKeyPair, generateEnvironmentKeys } from '../../../src/core/keys/environment-keys.ts'
import { generateIdentityKeys } from '../../../src/core/keys/identity-keys.ts'
import {
  encapsulate,
  prepareRecipient,
  type Recipient,
  unwrapWithSecretKey,
  wrapForPublicKey,
  wrapForRecipient,
} from '../../../src/core/keys/wrapping.ts'
import { clientEnvironmentPair, clientIdentity, clientUnwrap, clientWrap } from './published-format.ts'
import vectors from './vectors.json' with { type: 'json' }
import { errorOf, flipBit, flipSealedBit, malformed, texts } from './wire-strings.ts'

const pair = environmentKeyPair(generateEnvironmentKeys().seed)
const refusal = 'This wrapped key is malformed, was changed, or was wrapped for another recipient.'

function unwrap(wrapped: string, keys = pair): string {
  return unwrapWithSecretKey(wrapped, keys.publicKey, keys.secretKey)
}

describe('a key wrapped for a recipient', () => {
  test('has the published form: ephemeral key in hex, then base64 of 64 bytes, tag and nonce', () => {
    const wrapped = wrapForPublicKey('a'.repeat(64), pair.publicKey)
    const [, base64 = ''] = /^ph:v1:[0-9a-f]{64}:([A-Za-z0-9+/]+={0,2})$/.exec(wrapped) ?? []
    expect(Buffer.from(base64, 'base64')).toHaveLength(64 + 16 + 24)
  })

  test('opens in a client made with libsodium', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const identity = generateIdentityKeys()
        const wrapped = wrapForRecipient(text, prepareRecipient(identity.publicKey))
        expect(clientUnwrap(wrapped, clientIdentity(identity.privateKey).x25519)).toBe(text)
      }),
    )
  })

  test('is opened when a client made with libsodium wrapped it', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const client = clientEnvironmentPair(generateEnvironmentKeys().seed)
        expect(unwrap(clientWrap(text, client.publicKey), client)).toBe(text)
      }),
    )
  })

  for (const vector of vectors.wrappedForPublicKey) {
    test(`matches the recorded vector: ${vector.what}`, () => {
      const publicKey = Buffer.from(vector.publicKey, 'hex')
      const secretKey = Buffer.from(vector.secretKey, 'hex')
      expect(unwrapWithSecretKey(vector.wrapped, publicKey, secretKey)).toBe(vector.text)
    })
  }

  test('unwraps to the same text', () => {
    fc.assert(fc.property(texts, (text) => expect(unwrap(wrapForPublicKey(text, pair.publicKey))).toBe(text)))
  })

  test('keeps a byte order mark', () => {
    expect(unwrap(wrapForPublicKey('\u{feff}x', pair.publicKey))).toBe('\u{feff}x')
  })

  test('has an ephemeral key and a nonce of its own every time, for a prepared recipient too', () => {
    const recipient = prepareRecipient(generateIdentityKeys().publicKey)
    const wraps = Array.from({ length: 50 }, () => wrapForRecipient('the same', recipient))
    expect(new Set(wraps.map((wrapped) => wrapped.split(':')[2])).size).toBe(50)
    const nonces = wraps.map((wrapped) =>
      Buffer.from(wrapped.split(':')[3] ?? '', 'base64')
        .subarray(-24)
        .toString('hex'),
    )
    expect(new Set(nonces).size).toBe(50)
  })
})

describe('texts that are wrapped under one encapsulation', () => {
  const identity = generateIdentityKeys()
  const recipient = prepareRecipient(identity.publicKey)
  const ephemeralOf = (wrapped: string) => wrapped.split(':')[2]
  const nonceOf = (wrapped: string) =>
    Buffer.from(wrapped.split(':')[3] ?? '', 'base64')
      .subarray(-24)
      .toString('hex')

  test('open one by one in a client made with libsodium', () => {
    fc.assert(
      fc.property(fc.array(texts, { maxLength: 5 }), (several) => {
        using encapsulation = encapsulate(recipient)
        for (const text of several) {
          const wrapped = encapsulation.wrap(text)
          expect(clientUnwrap(wrapped, clientIdentity(identity.privateKey).x25519)).toBe(text)
        }
      }),
      { examples: [[['\u{feff}']]] },
    )
  })

  test('share the ephemeral key, and have a nonce of their own each, the same text too', () => {
    using encapsulation = encapsulate(recipient)
    const wraps = Array.from({ length: 1000 }, () => encapsulation.wrap('the same'))
    expect(new Set(wraps.map(ephemeralOf)).size).toBe(1)
    expect(new Set(wraps.map(nonceOf)).size).toBe(1000)
    expect(new Set(wraps).size).toBe(1000)
  })

  test('share nothing with those of another encapsulation, for the same recipient or another', () => {
    const other = prepareRecipient(generateIdentityKeys().publicKey)
    const wraps = [recipient, recipient, other].map((each) => {
      using encapsulation = encapsulate(each)
      return encapsulation.wrap('the same')
    })
    expect(new Set(wraps.map(ephemeralOf)).size).toBe(3)
    expect(new Set(wraps.map(nonceOf)).size).toBe(3)
  })

  test('stop with the encapsulation: once disposed of, it wraps nothing', () => {
    const encapsulation = encapsulate(recipient)
    encapsulation.wrap('x')
    encapsulation[Symbol.dispose]()
    expect(errorOf(() => encapsulation.wrap('x')).message).toBe('This encapsulation has ended.')
  })

  test('don’t show the key when the encapsulation is printed', () => {
    using encapsulation = encapsulate(recipient)
    const printed = inspect(encapsulation, { depth: null, showHidden: true }) + JSON.stringify(encapsulation)
    expect(printed).not.toMatch(/Uint8Array|Buffer|KeyObject/)
  })
})

describe('preparing a recipient', () => {
  test('is done once for each identity key, up to 4,096 of them', () => {
    const keys = Array.from({ length: 4097 }, () => generateIdentityKeys().publicKey)
    const [oldest = '', second = ''] = keys
    const prepared = keys.map(prepareRecipient)
    expect(prepareRecipient(second)).toBe(prepared[1] as Recipient)
    expect(prepareRecipient(oldest)).not.toBe(prepared[0] as Recipient)
    expect(prepareRecipient(oldest)).toEqual(prepared[0] as Recipient)
    // The one that was asked for last stays.
    expect(prepareRecipient(second)).toBe(prepared[1] as Recipient)
  }, 60_000)

  test('refuses what is no identity key, each time anew', () => {
    const valid = generateIdentityKeys().publicKey
    prepareRecipient(valid)
    const identity = `01${'00'.repeat(31)}`
    for (const key of ['', valid.toUpperCase(), `${valid} `, valid.slice(2), identity, 'ff'.repeat(32)]) {
      for (let round = 0; round < 3; round++) {
        expect(errorOf(() => prepareRecipient(key)).message).toBe(
          'An identity public key must be an Ed25519 public key of 64 lower-case hex digits.',
        )
      }
    }
  })
})

describe('unwrapping refuses', () => {
  const wrapped = wrapForPublicKey('f'.repeat(64), pair.publicKey)

  test('any flipped bit of the wire string', () => {
    fc.assert(
      fc.property(fc.nat(), (position) => {
        expect(errorOf(() => unwrap(flipBit(wrapped, position))).message).toBe(refusal)
      }),
    )
  })

  test('any flipped bit of ciphertext, tag and nonce', () => {
    for (let bit = 0; bit < (64 + 16 + 24) * 8; bit += 7) {
      expect(errorOf(() => unwrap(flipSealedBit(wrapped, bit))).message).toBe(refusal)
    }
  })

  test('the keys of another recipient', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const other = environmentKeyPair(generateEnvironmentKeys().seed)
        const forPair = wrapForPublicKey(text, pair.publicKey)
        expect(errorOf(() => unwrap(forPair, other)).message).toBe(refusal)
      }),
      { numRuns: 30 },
    )
  })

  test('the right secret key with the public key of another', () => {
    const { publicKey } = environmentKeyPair(generateEnvironmentKeys().seed)
    expect(errorOf(() => unwrap(wrapped, { ...pair, publicKey })).message).toBe(refusal)
  })

  test('malformed values, always with the same sentence', () => {
    fc.assert(
      fc.property(malformed(wrapped), (text) => {
        expect(errorOf(() => unwrap(text)).message).toBe(refusal)
      }),
      { numRuns: 500 },
    )
  })

  test('a ciphertext too short for a tag or a nonce', () => {
    const start = wrapped.slice(0, wrapped.lastIndexOf(':') + 1)
    for (const length of [0, 1, 16, 23, 24, 39, 40]) {
      const wire = start + Buffer.alloc(length, 7).toString('base64')
      expect(errorOf(() => unwrap(wire)).message).toBe(refusal)
    }
  })

  test('upper-case hex, white space, URL-safe base64 and missing padding', () => {
    const [format, version, ephemeral = '', base64 = ''] = wrapForPublicKey('x', pair.publicKey).split(':')
    const spelled = (hex: string, sealed: string) => `${format}:${version}:${hex}:${sealed}`
    expect(unwrap(spelled(ephemeral, base64))).toBe('x')
    const urlSafe = Buffer.from(base64, 'base64').toString('base64url')
    for (const wire of [
      spelled(ephemeral.toUpperCase(), base64),
      spelled(ephemeral, `${base64} `),
      spelled(ephemeral, `${base64}\n`),
      spelled(ephemeral, base64.replaceAll('=', '')),
      spelled(ephemeral, `${urlSafe}-_`),
    ]) {
      expect(errorOf(() => unwrap(wire)).message).toBe(refusal)
    }
  })
})

describe('public keys of low order', () => {
  // The list of https://cr.yp.to/ecdh.html#validate that fits 255 bits.
  const lowOrder = [
    '0000000000000000000000000000000000000000000000000000000000000000',
    '0100000000000000000000000000000000000000000000000000000000000000',
    'e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800',
    '5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157',
    'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  ]

  for (const hex of lowOrder) {
    test(`are never wrapped for, and never accepted as ephemeral: ${hex.slice(0, 8)}…${hex.slice(-4)}`, () => {
      const message = 'This X25519 public key is of low order and gives no secret.'
      expect(errorOf(() => wrapForPublicKey('x', Buffer.from(hex, 'hex'))).message).toBe(message)
      const sealed = Buffer.alloc(41).toString('base64')
      expect(errorOf(() => unwrap(`ph:v1:${hex}:${sealed}`)).message).toBe(refusal)
    })
  }

  test('and keys of another length are refused', () => {
    for (const length of [0, 31, 33, 64]) {
      const key = Buffer.alloc(length, 9)
      expect(errorOf(() => wrapForPublicKey('x', key)).message).toBe('An X25519 key must be 32 bytes long.')
    }
  })
})
