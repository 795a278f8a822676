import { describe, expect, test } from 'bun:test'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { environmentKeyPair, generateEnvironmentKeys } from '../../../src/core/keys/environment-keys.ts'
import { decapsulate } from '../../../src/core/keys/unwrapping.ts'
import { encapsulate, recipientOf, wrapForPublicKey } from '../../../src/core/keys/wrapping.ts'
import { clientEnvironmentPair, clientUnwrap, clientWrap } from './published-format.ts'
import vectors from './vectors.json' with { type: 'json' }
import { errorOf, flipBit, malformed, texts } from './wire-strings.ts'

const pair = environmentKeyPair(generateEnvironmentKeys().seed)
const refusal = 'This wrapped key is malformed, was changed, or was wrapped for another recipient.'
const decapsulatePair = () => decapsulate(pair.publicKey, pair.secretKey)

describe('texts that are sealed for an environment', () => {
  test('under one ephemeral key open with one key agreement, however many they are', () => {
    using encapsulation = encapsulate(recipientOf(pair.publicKey))
    using decapsulation = decapsulatePair()
    for (let index = 0; index < 500; index++) {
      expect(decapsulation.unwrap(encapsulation.wrap(`value ${index}`))).toBe(`value ${index}`)
    }
    expect(decapsulation.agreements()).toBe(1)
    decapsulation.unwrap(wrapForPublicKey('x', pair.publicKey))
    expect(decapsulation.agreements()).toBe(2)
  })

  test('open with libsodium, as clients do', () => {
    fc.assert(
      fc.property(fc.array(texts, { maxLength: 5 }), (several) => {
        const client = clientEnvironmentPair(generateEnvironmentKeys().seed)
        using encapsulation = encapsulate(recipientOf(client.publicKey))
        for (const text of several) expect(clientUnwrap(encapsulation.wrap(text), client)).toBe(text)
      }),
    )
  })

  test('by libsodium open here, each with an ephemeral key of its own or not', () => {
    fc.assert(
      fc.property(fc.array(texts, { maxLength: 5 }), (several) => {
        using decapsulation = decapsulatePair()
        for (const text of several) {
          const wrapped = clientWrap(text, pair.publicKey)
          expect(decapsulation.unwrap(wrapped)).toBe(text)
          expect(decapsulation.unwrap(wrapped)).toBe(text)
        }
        expect(decapsulation.agreements()).toBe(several.length)
      }),
    )
  })

  for (const vector of vectors.wrappedForPublicKey) {
    test(`open as recorded: ${vector.what}`, () => {
      using decapsulation = decapsulate(
        Buffer.from(vector.publicKey, 'hex'),
        Buffer.from(vector.secretKey, 'hex'),
      )
      expect(decapsulation.unwrap(vector.wrapped)).toBe(vector.text)
    })
  }
})

describe('opening refuses, with one sentence', () => {
  test('what is malformed or was changed, also beside what opens', () => {
    using decapsulation = decapsulatePair()
    const wrapped = wrapForPublicKey('f'.repeat(64), pair.publicKey)
    fc.assert(
      fc.property(
        fc.oneof(
          malformed(wrapped),
          fc.nat().map((at) => flipBit(wrapped, at)),
        ),
        (wire) => {
          expect(errorOf(() => decapsulation.unwrap(wire)).message).toBe(refusal)
          expect(decapsulation.unwrap(wrapped)).toBe('f'.repeat(64))
        },
      ),
      { numRuns: 500 },
    )
  })

  test('a low-order ephemeral key, and texts for another environment', () => {
    using decapsulation = decapsulatePair()
    const lowOrder = `ph:v1:${'0'.repeat(64)}:${Buffer.alloc(41).toString('base64')}`
    const other = environmentKeyPair(generateEnvironmentKeys().seed)
    for (const wire of [lowOrder, lowOrder, wrapForPublicKey('x', other.publicKey)]) {
      expect(errorOf(() => decapsulation.unwrap(wire)).message).toBe(refusal)
    }
  })
})

describe('what opens texts', () => {
  test('opens nothing once it is disposed of', () => {
    const decapsulation = decapsulatePair()
    const wrapped = wrapForPublicKey('x', pair.publicKey)
    decapsulation.unwrap(wrapped)
    decapsulation[Symbol.dispose]()
    expect(errorOf(() => decapsulation.unwrap(wrapped)).message).toBe('This decapsulation has ended.')
  })

  test('shows no key when it is printed', () => {
    using decapsulation = decapsulatePair()
    decapsulation.unwrap(wrapForPublicKey('x', pair.publicKey))
    const printed = inspect(decapsulation, { depth: null, showHidden: true }) + JSON.stringify(decapsulation)
    expect(printed).not.toMatch(/Uint8Array|Buffer|KeyObject|Map/)
  })
})
