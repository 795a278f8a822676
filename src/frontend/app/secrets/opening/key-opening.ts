import { xchacha20poly1305 } from '@noble/ciphers/chacha.js'
import { ed25519, x25519 } from '@noble/curves/ed25519.js'
import { blake2b } from '@noble/hashes/blake2.js'
import { hkdf } from '@noble/hashes/hkdf.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { fromBase64, type KeyPair, opener } from './sealed-text.ts'

/** The reader's keys as the API gives them to a session. */
export type WrappedKeys = Readonly<{
  identityKey: string
  wrappedPrivateKey: string | null
  environments: readonly Readonly<{ environmentId: string; wrappedSeed: string; wrappedSalt: string }>[]
}>

/** What opens and seals the texts of one environment, and digests its keys. */
export type EnvironmentKeys = Readonly<{ pair: KeyPair; digest(key: string): string }>

const NONCE_BYTES = 24

/**
 * Opens the keys of environments, each when it is asked for. Throws where the keys were wrapped for another bearer, as when
 * that was renewed meanwhile.
 */
export function openKeys(
  wrapped: WrappedKeys,
  bearer: string,
): (environmentId: string) => EnvironmentKeys | null {
  const privateKey = hexToBytes(unwrapWithToken(bearer, wrapped.wrappedPrivateKey ?? ''))
  const open = opener({
    publicKey: ed25519.utils.toMontgomery(hexToBytes(wrapped.identityKey)),
    secretKey: ed25519.utils.toMontgomerySecret(privateKey),
  })
  const opened = new Map<string, EnvironmentKeys>()
  return (environmentId) => {
    const known = opened.get(environmentId)
    const copy = wrapped.environments.find((one) => one.environmentId === environmentId)
    if (known !== undefined || copy === undefined) return known ?? null
    const secretKey = blake2b(hexToBytes(open(copy.wrappedSeed)), { dkLen: 32 })
    const salt = utf8ToBytes(open(copy.wrappedSalt))
    const keys: EnvironmentKeys = {
      pair: { secretKey, publicKey: x25519.getPublicKey(secretKey) },
      digest: (key) => bytesToHex(blake2b(utf8ToBytes(key), { key: salt, dkLen: 32 })),
    }
    opened.set(environmentId, keys)
    return keys
  }
}

function unwrapWithToken(token: string, wrapped: string): string {
  if (!wrapped.startsWith('kt:v1:')) throw new Error('The private key was not given for this session.')
  const bytes = fromBase64(wrapped.slice('kt:v1:'.length))
  const key = hkdf(sha256, utf8ToBytes(token), new Uint8Array(), utf8ToBytes('keyward/token/v1'), 32)
  return new TextDecoder().decode(
    xchacha20poly1305(key, bytes.subarray(0, NONCE_BYTES)).decrypt(bytes.subarray(NONCE_BYTES)),
  )
}
