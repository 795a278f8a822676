import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { unwrapWithToken, wrapForToken } from '../../../src/core/keys/token-wrapping.ts'
import { clientOpenWithToken } from './published-format.ts'
import vectors from './vectors.json' with { type: 'json' }
import { errorOf, flipBit, flipSealedBit, malformed, texts } from './wire-strings.ts'

const refusal = 'This wrapped key is malformed, was changed, or was wrapped for another token.'
const { token } = vectors.wrappedForToken

describe('a key wrapped for a token', () => {
  test('unwraps with the same token', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), texts, (anyToken, text) => {
        const wrapped = wrapForToken(anyToken, text)
        expect(wrapped).toMatch(/^kt:v1:[A-Za-z0-9+/]+={0,2}$/)
        expect(unwrapWithToken(anyToken, wrapped)).toBe(text)
      }),
    )
  })

  test('opens in a client made with libsodium and WebCrypto', async () => {
    const property = fc.asyncProperty(texts, async (text) => {
      expect(await clientOpenWithToken(token, wrapForToken(token, text))).toBe(text)
    })
    await fc.assert(property)
  })

  test('matches the recorded vectors', () => {
    expect(unwrapWithToken(token, vectors.wrappedForToken.wrapped)).toBe(vectors.wrappedForToken.text)
  })

  test('has a fresh nonce every time', () => {
    const wraps = Array.from({ length: 50 }, () => wrapForToken(token, 'the same').slice(0, 6 + 32))
    expect(new Set(wraps).size).toBe(50)
  })

  test('is refused with another token', () => {
    const wrapped = wrapForToken(token, 'x')
    for (const other of ['', token.slice(1), `${token} `, token.toLowerCase()]) {
      expect(errorOf(() => unwrapWithToken(other, wrapped)).message).toBe(refusal)
    }
  })

  test('is refused with any flipped bit, of the wire string or of the bytes in it', () => {
    const wrapped = wrapForToken(token, 'f'.repeat(64))
    fc.assert(
      fc.property(fc.nat(), (position) => {
        expect(errorOf(() => unwrapWithToken(token, flipBit(wrapped, position))).message).toBe(refusal)
        expect(errorOf(() => unwrapWithToken(token, flipSealedBit(wrapped, position))).message).toBe(refusal)
      }),
      { numRuns: 300 },
    )
  })

  test('is refused when malformed', () => {
    const wrapped = wrapForToken(token, 'f'.repeat(64))
    fc.assert(
      fc.property(malformed(wrapped), (text) => {
        expect(errorOf(() => unwrapWithToken(token, text)).message).toBe(refusal)
      }),
      { numRuns: 500 },
    )
  })
})
