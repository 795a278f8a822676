import { describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { inspect } from 'node:util'
import fc from 'fast-check'
import sodium from 'libsodium-wrappers'
import { createServerKeys, type KeyPurpose, type StoredField } from '../../../src/core/keys/server-keys.ts'
import { hkdfSha256 } from './published-format.ts'
import vectors from './vectors.json' with { type: 'json' }
import { errorOf, flipBit, flipSealedBit, malformed, texts } from './wire-strings.ts'

const refusal =
  'A stored key cannot be unwrapped: it was changed, moved from its row, or wrapped under another SERVER_SECRET.'
const secret = new Uint8Array(randomBytes(32))
const keys = createServerKeys(secret)
const place: StoredField = { table: 'environments', rowId: crypto.randomUUID(), field: 'seed' }
const purposes = fc.constantFrom<KeyPurpose>('identity-key', 'environment-key')
const places = fc.record({ table: fc.string(), rowId: fc.string(), field: fc.string() })

describe('what the server wraps for itself', () => {
  test('unwraps for the same purpose and field', () => {
    fc.assert(
      fc.property(purposes, texts, places, (purpose, text, at) => {
        const wrapped = keys.wrap(purpose, text, at)
        expect(wrapped).toMatch(/^kw:1:[0-9a-f]{8}:[A-Za-z0-9+/]+={0,2}$/)
        expect(wrapped.split(':')[2]).toBe(keys.keyId)
        expect(keys.unwrap(purpose, wrapped, at)).toBe(text)
      }),
    )
  })

  const recorded = createServerKeys(Buffer.from(vectors.wrappedForServer.serverSecret, 'hex'))
  for (const vector of vectors.wrappedForServer.values) {
    test(`matches the recorded vector: ${vector.purpose} in ${JSON.stringify(vector.place)}`, () => {
      expect(recorded.keyId).toBe(vectors.wrappedForServer.keyId)
      expect(recorded.unwrap(vector.purpose as KeyPurpose, vector.wrapped, vector.place)).toBe(vector.text)
    })
  }

  test('opens with libsodium by the published format', async () => {
    const wrapped = keys.wrap('environment-key', 'the seed', place)
    const bytes = Buffer.from(wrapped.split(':')[3] ?? '', 'base64')
    const opened = sodium.crypto_aead_xchacha20poly1305_ietf_decrypt(
      null,
      bytes.subarray(24),
      JSON.stringify([place.table, place.rowId, place.field]),
      bytes.subarray(0, 24),
      await hkdfSha256(secret, 'keyward/environment-key/v1'),
      'text',
    )
    expect(opened).toBe('the seed')
  })

  test('has a fresh nonce every time', () => {
    const wraps = Array.from({ length: 50 }, () => keys.wrap('identity-key', 'the same', place))
    expect(new Set(wraps.map((wrapped) => wrapped.split(':')[3]?.slice(0, 32))).size).toBe(50)
  })

  test('has a key id that the same secret always gives, and another secret does not', async () => {
    expect(createServerKeys(secret).keyId).toBe(keys.keyId)
    expect(createServerKeys(randomBytes(32)).keyId).not.toBe(keys.keyId)
    const derived = await hkdfSha256(secret, 'keyward/id')
    expect(keys.keyId).toBe(Buffer.from(derived).toString('hex').slice(0, 8))
  })

  test('never shows the secret or a derived key when the keys are printed', async () => {
    const printed = inspect(keys, { depth: null, showHidden: true }) + JSON.stringify(keys)
    const derived = await hkdfSha256(secret, 'keyward/identity-key/v1')
    for (const bytes of [secret, derived]) {
      expect(printed).not.toContain(Buffer.from(bytes).toString('hex'))
      expect(printed).not.toContain([...bytes.slice(0, 4)].join(', '))
    }
  })

  test('needs a secret of exactly 32 bytes', () => {
    for (const length of [0, 16, 31, 33, 64]) {
      const message = 'SERVER_SECRET must be 32 bytes: 64 hexadecimal characters.'
      expect(errorOf(() => createServerKeys(randomBytes(length))).message).toBe(message)
    }
  })
})

describe('unwrapping what the server wrapped refuses', () => {
  const wrapped = keys.wrap('environment-key', 'f'.repeat(64), place)

  function unwrapError(
    wire: string,
    at: StoredField = place,
    purpose: KeyPurpose = 'environment-key',
  ): string {
    return errorOf(() => keys.unwrap(purpose, wire, at)).message
  }

  test('another table, row or field', () => {
    expect(unwrapError(wrapped, { ...place, table: 'members' })).toBe(refusal)
    expect(unwrapError(wrapped, { ...place, rowId: crypto.randomUUID() })).toBe(refusal)
    expect(unwrapError(wrapped, { ...place, field: 'salt' })).toBe(refusal)
  })

  test('any two fields that differ, wherever the boundary between their parts lies', () => {
    const shifted = fc
      .tuple(fc.string({ unit: fc.constantFrom('a', '"', ',', '\\', '\0', ':') }), fc.nat(), fc.nat())
      .map(([text, first, second]) => {
        const [low, high] = [first % (text.length + 1), second % (text.length + 1)].sort((a, b) => a - b)
        return { table: text.slice(0, low), rowId: text.slice(low, high), field: text.slice(high) }
      })
    fc.assert(
      fc.property(shifted, shifted, (one, other) => {
        fc.pre(JSON.stringify(one) !== JSON.stringify(other))
        expect(unwrapError(keys.wrap('environment-key', 'x', one), other)).toBe(refusal)
      }),
    )
    const ab: StoredField = { table: 'ab', rowId: 'c', field: 'd' }
    expect(unwrapError(keys.wrap('environment-key', 'x', ab), { ...ab, table: 'a', rowId: 'bc' })).toBe(
      refusal,
    )
  })

  test('another purpose', () => {
    expect(unwrapError(wrapped, place, 'identity-key')).toBe(refusal)
  })

  test('another SERVER_SECRET, also when the key id is made to fit', () => {
    const other = createServerKeys(randomBytes(32))
    expect(errorOf(() => other.unwrap('environment-key', wrapped, place)).message).toBe(refusal)
    const relabelled = wrapped.replace(keys.keyId, other.keyId)
    expect(errorOf(() => other.unwrap('environment-key', relabelled, place)).message).toBe(refusal)
  })

  test('any flipped bit, of the wire string or of the bytes in it', () => {
    fc.assert(
      fc.property(fc.nat(), (position) => {
        expect(unwrapError(flipBit(wrapped, position))).toBe(refusal)
        expect(unwrapError(flipSealedBit(wrapped, position))).toBe(refusal)
      }),
      { numRuns: 300 },
    )
  })

  test('malformed values', () => {
    fc.assert(
      fc.property(malformed(wrapped), (text) => expect(unwrapError(text)).toBe(refusal)),
      { numRuns: 500 },
    )
  })
})
