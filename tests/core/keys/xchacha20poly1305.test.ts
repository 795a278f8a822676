import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  type Aead,
  fastestAead,
  inJavaScript,
  inLibsodium,
  loadFastestAead,
  loadLibsodium,
} from '../../../src/core/keys/xchacha20poly1305.ts'

const libsodium = await loadLibsodium()
const implementations: [string, Aead][] = [
  ['JavaScript', inJavaScript],
  ['libsodium', inLibsodium(libsodium)],
]
const hex = (text: string) => new Uint8Array(Buffer.from(text.replaceAll(/\s/g, ''), 'hex'))
const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
const some = fc.uint8Array({ maxLength: 300 })
const none = new Uint8Array()

// draft-irtf-cfrg-xchacha-03, A.3.1.
const vector = {
  key: hex('808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f'),
  nonce: hex('404142434445464748494a4b4c4d4e4f5051525354555657'),
  associatedData: hex('50515253c0c1c2c3c4c5c6c7'),
  plaintext: new TextEncoder().encode(
    "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it.",
  ),
  ciphertext: hex(`
    bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb
    731c7f1b0b4aa6440bf3a82f4eda7e39ae64c6708c54c216cb96b72e1213b452
    2f8c9ba40db5d945b11b69b982c1bb9e3f3fac2bc369488f76b2383565d3fff9
    21f9664c97637da9768812f615c68b13b52e
    c0875924c1c7987947deafd8780acf49`),
}

describe.each(implementations)('XChaCha20-Poly1305 in %s', (_, aead) => {
  const { key, nonce, associatedData, plaintext, ciphertext } = vector

  test('gives the ciphertext of the draft, and opens it', () => {
    expect(aead.encrypt(key, nonce, plaintext, associatedData)).toEqual(ciphertext)
    expect(aead.decrypt(key, nonce, ciphertext, associatedData)).toEqual(plaintext)
  })

  test('refuses any flipped bit of ciphertext, tag, nonce, key and associated data', () => {
    const inputs = [key, nonce, ciphertext, associatedData] as const
    for (const input of inputs) {
      for (let bit = 0; bit < input.length * 8; bit++) {
        const flipped = input.slice()
        flipped[bit >> 3] = (input[bit >> 3] ?? 0) ^ (1 << (bit & 7))
        const [k, n, c, a] = inputs.map((each) => (each === input ? flipped : each)) as [
          Uint8Array,
          Uint8Array,
          Uint8Array,
          Uint8Array,
        ]
        expect(() => aead.decrypt(k, n, c, a)).toThrow()
      }
    }
  })

  test('refuses a ciphertext that was cut, also within its tag', () => {
    for (let length = 0; length < ciphertext.length; length++) {
      expect(() => aead.decrypt(key, nonce, ciphertext.subarray(0, length), associatedData)).toThrow()
    }
  })

  test('refuses keys and nonces of another length', () => {
    for (const length of [0, 16, 31, 33]) {
      expect(() => aead.encrypt(new Uint8Array(length), nonce, plaintext, none)).toThrow()
      expect(() => aead.decrypt(new Uint8Array(length), nonce, ciphertext, associatedData)).toThrow()
    }
    for (const length of [0, 12, 23, 25]) {
      expect(() => aead.encrypt(key, new Uint8Array(length), plaintext, none)).toThrow()
      expect(() => aead.decrypt(key, new Uint8Array(length), ciphertext, associatedData)).toThrow()
    }
  })

  test('changes none of what it is given', () => {
    const before = structuredClone(vector)
    aead.encrypt(key, nonce, plaintext, associatedData)
    aead.decrypt(key, nonce, ciphertext, associatedData)
    expect(vector).toEqual(before)
  })
})

test('both give the same ciphertext, and open it, for inputs of any length', () => {
  const [[, one], [, other]] = implementations as [[string, Aead], [string, Aead]]
  fc.assert(
    fc.property(bytes(32), bytes(24), some, some, (key, nonce, plaintext, associatedData) => {
      const ciphertext = one.encrypt(key, nonce, plaintext, associatedData)
      expect(other.encrypt(key, nonce, plaintext, associatedData)).toEqual(ciphertext)
      expect(other.decrypt(key, nonce, ciphertext, associatedData)).toEqual(plaintext)
    }),
    { numRuns: 500 },
  )
})

test('libsodium encrypts texts that are larger than its memory was', () => {
  const aead = inLibsodium(libsodium)
  const large = new Uint8Array(libsodium.HEAPU8.length).fill(7)
  const ciphertext = aead.encrypt(vector.key, vector.nonce, large, none)
  expect(ciphertext.length).toBe(large.length + 16)
  expect(Buffer.compare(aead.decrypt(vector.key, vector.nonce, ciphertext, none), large)).toBe(0)
})

test('neither key nor plaintext stays in libsodium’s memory, also when a ciphertext is refused', async () => {
  const sodium = await loadLibsodium()
  const aead = inLibsodium(sodium)
  const key = crypto.getRandomValues(new Uint8Array(32))
  const secret = crypto.getRandomValues(new Uint8Array(64))
  const ciphertext = aead.encrypt(key, vector.nonce, secret, none)
  aead.decrypt(key, vector.nonce, ciphertext, none)
  expect(() => aead.decrypt(key, vector.nonce, ciphertext.with(0, (ciphertext[0] ?? 0) ^ 1), none)).toThrow()
  const memory = Buffer.from(sodium.HEAPU8)
  for (const bytes of [key, secret]) {
    for (let at = 0; at < bytes.length; at += 8) {
      expect(memory.includes(bytes.subarray(at, at + 8))).toBe(false)
    }
  }
})

test('without WebAssembly it is JavaScript, with it libsodium as soon as that is loaded', async () => {
  const child = Bun.spawn(['bun', `${import.meta.dir}/loading.ts`], { stdout: 'pipe', stderr: 'inherit' })
  expect(await new Response(child.stdout).json()).toEqual({ before: true, without: true })
  await loadFastestAead()
  expect(fastestAead()).not.toBe(inJavaScript)
})
