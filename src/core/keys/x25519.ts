import {
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto'

/** A fresh X25519 key pair: the secret as a key object, the public half as its 32 bytes. */
export function generateX25519Pair(): { secretKey: KeyObject; publicKey: Uint8Array } {
  const pair = generateKeyPairSync('x25519')
  return { secretKey: pair.privateKey, publicKey: rawPublicKey(pair.publicKey) }
}

/** Imports the 32 bytes of an X25519 public key; throws when the length is another. */
export function importX25519Public(publicKey: Uint8Array): KeyObject {
  return createPublicKey({ key: withDerPrefix(spkiPrefix, publicKey), format: 'der', type: 'spki' })
}

/** Imports the 32 bytes of an X25519 secret key (clamped when used, RFC 7748 §5); throws on another length. */
export function importX25519Secret(secretKey: Uint8Array): KeyObject {
  return createPrivateKey({ key: withDerPrefix(pkcs8Prefix, secretKey), format: 'der', type: 'pkcs8' })
}

/** The public key of a 32-byte X25519 secret key: its multiple of the base point. */
export function x25519PublicOf(secretKey: Uint8Array): Uint8Array {
  return rawPublicKey(createPublicKey(importX25519Secret(secretKey)))
}

/** The 32-byte shared secret; throws where it would be all zero, as a low-order public key makes it. */
export function x25519SharedSecret(secretKey: KeyObject, publicKey: KeyObject): Uint8Array {
  let shared: Buffer
  try {
    shared = diffieHellman({ privateKey: secretKey, publicKey })
  } catch {
    throw lowOrder()
  }
  // BoringSSL and OpenSSL refuse this by themselves; RFC 7748 §6.1 leaves it open to other runtimes.
  if (timingSafeEqual(shared, allZero)) throw lowOrder()
  return shared
}

// RFC 8410: SubjectPublicKeyInfo and OneAsymmetricKey of X25519 up to the 32 key bytes. Going through DER
// and not JWK lets a secret be imported without its public half.
const spkiPrefix = Buffer.from('302a300506032b656e032100', 'hex')
const pkcs8Prefix = Buffer.from('302e020100300506032b656e04220420', 'hex')
const allZero = new Uint8Array(32)

function withDerPrefix(prefix: Uint8Array, key: Uint8Array): Buffer {
  if (key.length !== 32) throw new Error('An X25519 key must be 32 bytes long.')
  return Buffer.concat([prefix, key])
}

function rawPublicKey(key: KeyObject): Uint8Array {
  const { x } = key.export({ format: 'jwk' })
  if (x === undefined) throw new Error('The X25519 key has no public half.')
  return Buffer.from(x, 'base64url')
}

function lowOrder(): Error {
  return new Error('This X25519 public key is of low order and gives no secret.')
}
