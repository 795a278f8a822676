import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { generateIdentityKeys } from '../../../src/core/keys/identity-keys.ts'
import { isPhaseBearer, newPhaseToken, openPhaseToken } from '../../../src/core/keys/phase-token.ts'
import { newToken } from '../../../src/core/tokens/token-text.ts'
import { clientIdentity, clientOpenPhaseToken } from './published-format.ts'
import vectors from './vectors.json' with { type: 'json' }
import { errorOf, flipBit, malformed } from './wire-strings.ts'

const refusal = 'This token is malformed, or the wrapped key share is not its own.'
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

/** What the clients of Phase take for a token. */
const CLIENT_PATTERN = /^pss_(user|service):v\d+:(?:[a-fA-F0-9]{64}:){3}[a-fA-F0-9]{64}$/

describe('a new token for Phase’s clients', () => {
  test.each([
    ['user', 'pss_user:v1:'],
    ['service', 'pss_service:v2:'],
  ] as const)('of a %s begins with %s, and holds the X25519 public key', (kind, prefix) => {
    const identity = generateIdentityKeys()
    const { text, bearer, wrappedKeyShare } = newPhaseToken(kind, identity)
    const [, , first, publicKey] = text.split(':')
    expect(text).toStartWith(prefix)
    expect(text).toMatch(CLIENT_PATTERN)
    expect(text).toBe(text.toLowerCase())
    expect(first).toBe(bearer)
    expect(publicKey).toBe(hex(clientIdentity(identity.privateKey).x25519.publicKey))
    expect(wrappedKeyShare).toMatch(/^[0-9a-f]{208}$/)
    expect(isPhaseBearer(bearer)).toBe(true)
  })

  test('leads a client made with libsodium to the X25519 secret of the identity key', () => {
    for (let round = 0; round < 20; round++) {
      const identity = generateIdentityKeys()
      const { text, wrappedKeyShare } = newPhaseToken('service', identity)
      const { x25519 } = clientIdentity(identity.privateKey)
      expect(clientOpenPhaseToken(text, wrappedKeyShare)).toEqual(x25519)
    }
  })

  test('is another in every part each time, but for the public key', () => {
    const identity = generateIdentityKeys()
    const tokens = Array.from({ length: 50 }, () => newPhaseToken('user', identity))
    for (const part of [2, 4, 5])
      expect(new Set(tokens.map(({ text }) => text.split(':')[part])).size, `part ${part}`).toBe(50)
    expect(new Set(tokens.map(({ wrappedKeyShare }) => wrappedKeyShare.slice(-48))).size).toBe(50)
  })

  test('has no secret in what the server keeps, nor the secret itself in any part', () => {
    const identity = generateIdentityKeys()
    const { text, bearer, wrappedKeyShare } = newPhaseToken('user', identity)
    const secret = hex(clientIdentity(identity.privateKey).x25519.secretKey)
    const [, , , , share, unwrapKey] = text.split(':')
    for (const kept of [bearer, wrappedKeyShare])
      for (const hidden of [secret, identity.privateKey, share ?? '', unwrapKey ?? ''])
        expect(kept).not.toContain(hidden)
    expect(text).not.toContain(secret)
    expect(text).not.toContain(identity.privateKey)
  })

  test('is refused for what are no identity keys', () => {
    const { publicKey, privateKey } = generateIdentityKeys()
    for (const identity of [
      { publicKey, privateKey: '' },
      { publicKey: 'ff'.repeat(32), privateKey },
      { publicKey, privateKey: privateKey.toUpperCase().replaceAll(/\d/g, 'A') },
    ])
      expect(errorOf(() => newPhaseToken('user', identity)).message).toMatch(/^An identity/)
  })
})

describe('opening such a token', () => {
  for (const { what, text, bearer, wrappedKeyShare } of vectors.phaseTokens.tokens) {
    test(`matches the recorded vector: one ${what}`, () => {
      const { publicKey, secretKey } = openPhaseToken(text, wrappedKeyShare)
      expect([hex(publicKey), hex(secretKey)]).toEqual([
        vectors.identity.x25519Public,
        vectors.identity.x25519Secret,
      ])
      expect(text.split(':')[2]).toBe(bearer)
      expect(clientOpenPhaseToken(text, wrappedKeyShare)).toMatchObject({ secretKey })
    })
  }

  test('takes no share that differs in bits which X25519 ignores', () => {
    const { text, wrappedKeyShare } = newPhaseToken('service', generateIdentityKeys())
    const parts = text.split(':')
    const share = Buffer.from(parts[4] ?? '', 'hex')
    for (const [place, bit] of [
      [0, 1],
      [0, 2],
      [0, 4],
      [31, 64],
      [31, 128],
    ] as const) {
      const changed = Buffer.from(share)
      changed[place] = (changed[place] ?? 0) ^ bit
      const other = [...parts.slice(0, 4), changed.toString('hex'), parts[5]].join(':')
      expect(errorOf(() => openPhaseToken(other, wrappedKeyShare)).message).toBe(refusal)
    }
  })

  test('takes its own share only', () => {
    const identity = generateIdentityKeys()
    const one = newPhaseToken('user', identity)
    const other = newPhaseToken('user', identity)
    expect(errorOf(() => openPhaseToken(one.text, other.wrappedKeyShare)).message).toBe(refusal)
  })

  test('takes no changed share or token, and none of another form', () => {
    const { text, wrappedKeyShare } = newPhaseToken('service', generateIdentityKeys())
    const bearerEnd = text.split(':').slice(0, 3).join(':').length
    fc.assert(
      fc.property(fc.nat(), (position) => {
        const open = () => openPhaseToken(text, flipBit(wrappedKeyShare, position))
        expect(errorOf(open).message).toBe(refusal)
        const rest = flipBit(text.slice(bearerEnd), position)
        expect(errorOf(() => openPhaseToken(text.slice(0, bearerEnd) + rest, wrappedKeyShare)).message).toBe(
          refusal,
        )
      }),
    )
    fc.assert(
      fc.property(malformed(text), malformed(wrappedKeyShare), (otherText, otherShare) => {
        expect(errorOf(() => openPhaseToken(otherText, wrappedKeyShare)).message).toBe(refusal)
        expect(errorOf(() => openPhaseToken(text, otherShare)).message).toBe(refusal)
      }),
    )
  })
})

test('a bearer is 64 lower-case hex digits, and nothing else is', () => {
  expect(isPhaseBearer('0123456789abcdef'.repeat(4))).toBe(true)
  for (const kind of ['pat', 'sat', 'ses', 'cookie'] as const)
    expect(isPhaseBearer(newToken(kind))).toBe(false)
  for (const text of [
    '',
    'a'.repeat(63),
    'a'.repeat(65),
    'A'.repeat(64),
    `${'a'.repeat(64)}\n`,
    'g'.repeat(64),
  ])
    expect(isPhaseBearer(text)).toBe(false)
})
