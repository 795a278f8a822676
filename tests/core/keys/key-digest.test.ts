import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import sodium from 'libsodium-wrappers'
import { generateEnvironmentKeys } from '../../../src/core/keys/environment-keys.ts'
import { keyDigester } from '../../../src/core/keys/key-digest.ts'
import { errorOf, texts } from './wire-strings.ts'

await sodium.ready
const { salt } = generateEnvironmentKeys()

describe('the digest of a secret’s name', () => {
  test('is libsodium’s keyed hash, the key being the text of the salt', () => {
    fc.assert(
      fc.property(fc.array(texts, { maxLength: 3 }), (names) => {
        const digest = keyDigester(salt)
        // One digester makes many, and none depends on those before.
        for (const name of [...names, ...names]) {
          expect(digest(name)).toBe(sodium.to_hex(sodium.crypto_generichash(32, name, salt)))
        }
      }),
    )
  })

  test('is one that was recorded with Python’s hashlib', () => {
    // hashlib.blake2b('DB_URL', digest_size=32, key=the 64 characters)
    const recorded = 'ca0a04d1a3f5da09ef3de8857d053bb4812d430a552e30941735ff46b67dbf90'
    expect(keyDigester(recorded)('DB_URL')).toBe(
      '18a73dbfb6ac50494aed99c9fc53265fb102dc7883445a2baeb980c3b9e50cd9',
    )
  })

  test('is another one in another environment, and for a name in other case', () => {
    const other = generateEnvironmentKeys().salt
    expect(keyDigester(other)('A')).not.toBe(keyDigester(salt)('A'))
    expect(keyDigester(salt)('a')).not.toBe(keyDigester(salt)('A'))
  })

  test('needs a salt of 64 lower-case hex digits', () => {
    for (const wrong of ['', salt.slice(1), salt.toUpperCase(), `${salt}0`, ` ${salt.slice(1)}`]) {
      expect(errorOf(() => keyDigester(wrong)).message).toBe(
        "An environment's salt must be 64 lower-case hex digits.",
      )
    }
  })
})
