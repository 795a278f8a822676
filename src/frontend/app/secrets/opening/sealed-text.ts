import { xchacha20poly1305 } from '@noble/ciphers/chacha.js'
import { x25519 } from '@noble/curves/ed25519.js'
import { blake2b } from '@noble/hashes/blake2.js'
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'

/** An X25519 key pair, 32 bytes each. */
export type KeyPair = Readonly<{ publicKey: Uint8Array; secretKey: Uint8Array }>

const PATTERN = /^ph:v1:([0-9a-f]{64}):([^:]*)$/
const NONCE_BYTES = 24

/** Opens texts that were sealed for a key pair. Texts with the same ephemeral key cost one key agreement together. */
export function opener({ publicKey, secretKey }: KeyPair): (sealed: string) => string {
  const keys = new Map<string, Uint8Array>()
  return (sealed) => {
    const [, ephemeral = '', base64 = ''] = PATTERN.exec(sealed) ?? []
    if (ephemeral === '') throw new Error('This text is not sealed.')
    const key =
      keys.get(ephemeral) ?? sessionKey(secretKey, hexToBytes(ephemeral), hexToBytes(ephemeral), publicKey)
    keys.set(ephemeral, key)
    const bytes = fromBase64(base64)
    const end = bytes.length - NONCE_BYTES
    return decoder.decode(xchacha20poly1305(key, bytes.subarray(end)).decrypt(bytes.subarray(0, end)))
  }
}

/** Seals texts for a public key, all with one ephemeral key pair and each with a nonce of its own. */
export function sealer(publicKey: Uint8Array): (text: string) => string {
  const session = sessionFor(publicKey)
  return (text) => sealIn(session, text)
}

/** As `sealer`, for the key in hex, of which nothing is kept. Throws for a public key that gives no secret. */
export function sealFor(publicKeyHex: string, texts: readonly string[]): string[] {
  const session = sessionFor(hexToBytes(publicKeyHex))
  const sealed = texts.map((text) => sealIn(session, text))
  session.key.fill(0)
  return sealed
}

type Session = Readonly<{ key: Uint8Array; ephemeral: Uint8Array }>

function sessionFor(recipient: Uint8Array): Session {
  const { secretKey, publicKey: ephemeral } = x25519.keygen()
  const key = sessionKey(secretKey, recipient, ephemeral, recipient)
  secretKey.fill(0)
  return { key, ephemeral }
}

function sealIn({ key, ephemeral }: Session, text: string): string {
  const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES))
  const sealed = concatBytes(xchacha20poly1305(key, nonce).encrypt(utf8ToBytes(text)), nonce)
  return `ph:v1:${bytesToHex(ephemeral)}:${toBase64(sealed)}`
}

/** The second half of BLAKE2b-512(shared secret ‖ ephemeral public key ‖ recipient's public key). */
function sessionKey(
  secret: Uint8Array,
  other: Uint8Array,
  ephemeral: Uint8Array,
  recipient: Uint8Array,
): Uint8Array {
  const shared = x25519.getSharedSecret(secret, other)
  const keys = blake2b(concatBytes(shared, ephemeral, recipient), { dkLen: 64 })
  const key = keys.slice(32)
  for (const secret of [shared, keys]) secret.fill(0)
  return key
}

/** The bytes of base64 text. */
export const fromBase64 = (text: string): Uint8Array =>
  Uint8Array.from(atob(text), (character) => character.charCodeAt(0))

const toBase64 = (bytes: Uint8Array): string => {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text)
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
