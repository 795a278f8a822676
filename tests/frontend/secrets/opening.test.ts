import { expect, test } from 'bun:test'
import { environmentKeyPair, generateEnvironmentKeys } from '../../../src/core/keys/environment-keys.ts'
import { generateIdentityKeys, identityKeyToX25519Public } from '../../../src/core/keys/identity-keys.ts'
import { keyDigester } from '../../../src/core/keys/key-digest.ts'
import { wrapForToken } from '../../../src/core/keys/token-wrapping.ts'
import { unwrapWithSecretKey, wrapForPublicKey } from '../../../src/core/keys/wrapping.ts'
import { openKeys } from '../../../src/frontend/app/secrets/opening/key-opening.ts'
import { opener, sealer } from '../../../src/frontend/app/secrets/opening/sealed-text.ts'

const TEXTS = ['', 'a', 'naïve 🔑', 'x'.repeat(70_000)]

test('the browser opens what the server sealed, and the server what the browser sealed', () => {
  const { seed } = generateEnvironmentKeys()
  const pair = environmentKeyPair(seed)
  const open = opener(pair)
  const seal = sealer(pair.publicKey)
  for (const text of TEXTS) {
    expect(open(wrapForPublicKey(text, pair.publicKey))).toBe(text)
    expect(unwrapWithSecretKey(seal(text), pair.publicKey, pair.secretKey)).toBe(text)
  }
})

test('what was sealed for other keys, or was changed, is not opened', () => {
  const open = opener(environmentKeyPair(generateEnvironmentKeys().seed))
  const other = environmentKeyPair(generateEnvironmentKeys().seed)
  const sealed = wrapForPublicKey('text', other.publicKey)
  expect(() => open(sealed)).toThrow()
  expect(() => opener(other)(`${sealed.slice(0, -6)}AAAA==`)).toThrow()
  expect(() => open('text')).toThrow('This text is not sealed.')
})

test('a session opens the keys of the environments of which it has a copy', () => {
  const identity = generateIdentityKeys()
  const recipient = identityKeyToX25519Public(identity.publicKey)
  const { seed, salt, publicKey } = generateEnvironmentKeys()
  const wrapped = {
    identityKey: identity.publicKey,
    wrappedPrivateKey: wrapForToken('the bearer', identity.privateKey),
    environments: [
      {
        environmentId: 'staging',
        wrappedSeed: wrapForPublicKey(seed, recipient),
        wrappedSalt: wrapForPublicKey(salt, recipient),
      },
    ],
  }
  const ring = openKeys(wrapped, 'the bearer')
  expect(Buffer.from(ring('staging')?.pair.publicKey ?? []).toString('hex')).toBe(publicKey)
  expect(ring('staging')?.digest('STRIPE_KEY')).toBe(keyDigester(salt)('STRIPE_KEY'))
  expect(ring('production')).toBeNull()
  expect(() => openKeys(wrapped, 'another bearer')).toThrow()
  expect(() => openKeys({ ...wrapped, wrappedPrivateKey: null }, 'the bearer')).toThrow()
})
