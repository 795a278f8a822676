import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { environmentKeyPair, generateEnvironmentKeys } from '../../../src/core/keys/environment-keys.ts'
import { clientEnvironmentPair } from './published-format.ts'
import vectors from './vectors.json' with { type: 'json' }
import { errorOf } from './wire-strings.ts'

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}

describe('environment keys', () => {
  test('are a fresh seed and salt, and the public key of the seed', () => {
    const all = Array.from({ length: 20 }, generateEnvironmentKeys)
    for (const { seed, salt, publicKey } of all) {
      expect(seed).toMatch(/^[0-9a-f]{64}$/)
      expect(salt).toMatch(/^[0-9a-f]{64}$/)
      expect(publicKey).toBe(hex(clientEnvironmentPair(seed).publicKey))
    }
    expect(new Set(all.flatMap(({ seed, salt }) => [seed, salt])).size).toBe(40)
  })

  test('come from their seed as libsodium derives them', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (seed) => {
        const ours = environmentKeyPair(hex(seed))
        const client = clientEnvironmentPair(hex(seed))
        expect([hex(ours.publicKey), hex(ours.secretKey)]).toEqual([
          hex(client.publicKey),
          hex(client.secretKey),
        ])
      }),
    )
  })

  test('come from their seed as recorded', () => {
    const { seed, publicKey, secretKey } = vectors.environment
    const pair = environmentKeyPair(seed)
    expect([hex(pair.publicKey), hex(pair.secretKey)]).toEqual([publicKey, secretKey])
  })

  test('refuse a seed that is not 64 lower-case hex digits, without repeating it', () => {
    const { seed } = vectors.environment
    for (const spoilt of ['', seed.slice(1), `${seed}0`, seed.toUpperCase(), `${seed}\n`]) {
      const message = "An environment's seed must be 64 lower-case hex digits."
      expect(errorOf(() => environmentKeyPair(spoilt)).message).toBe(message)
    }
  })
})
