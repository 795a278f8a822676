import { randomBytes } from 'node:crypto'
import { decryptText, encryptText } from './encryption.ts'
import { type IdentityKeys, identityKeyToX25519Public, identityKeyToX25519Secret } from './identity-keys.ts'
import { x25519PublicOf } from './x25519.ts'
import { nonceBytes } from './xchacha20poly1305.ts'

/** Whose token it is, as Phase's clients tell them apart: a member's, or a service account's. */
export type PhaseTokenKind = 'user' | 'service'

/** A new token in the format of Phase's clients, and what the server keeps of it: a hash of the bearer, and the share. */
export type PhaseToken = { text: string; bearer: string; wrappedKeyShare: string }

/**
 * A new token for a principal with these identity keys: `pss_user:v1` or `pss_service:v2`, then bearer, X25519 public
 * key, one share of the X25519 secret and the unwrap key, each 32 bytes in lower-case hex after a colon. The other share
 * is wrapped under the unwrap key: the hex of ciphertext ‖ tag ‖ nonce of its hex text (XChaCha20-Poly1305, without
 * associated data). Bearer and wrapped share together open nothing. Throws for identity keys of another form.
 */
export function newPhaseToken(kind: PhaseTokenKind, identity: IdentityKeys): PhaseToken {
  const secret = identityKeyToX25519Secret(identity.privateKey)
  const publicKey = identityKeyToX25519Public(identity.publicKey)
  const [bearer, clientShare, unwrapKey] = [randomBytes(32), randomBytes(32), randomBytes(32)]
  const serverShare = exclusiveOr(secret, clientShare)
  try {
    const { ciphertext, nonce } = encryptText(unwrapKey, hex(serverShare))
    return {
      text: [PREFIX[kind], ...[bearer, publicKey, clientShare, unwrapKey].map(hex)].join(':'),
      bearer: hex(bearer),
      wrappedKeyShare: hex(Buffer.concat([ciphertext, nonce])),
    }
  } finally {
    for (const bytes of [secret, clientShare, serverShare, unwrapKey]) bytes.fill(0)
  }
}

/**
 * The principal's X25519 key pair, as a client finds it from the whole text of its token and from the wrapped share.
 * Throws one and the same Error where either is malformed, or they don't belong together.
 */
export function openPhaseToken(
  text: string,
  wrappedKeyShare: string,
): { publicKey: Uint8Array; secretKey: Uint8Array } {
  try {
    const [, publicKey = '', clientShare = '', unwrapKey = ''] = FORM.exec(text)?.slice(1) ?? []
    if (!WRAPPED.test(wrappedKeyShare)) throw new Error('Not a wrapped share.')
    const bytes = Buffer.from(wrappedKeyShare, 'hex')
    const end = bytes.length - nonceBytes
    const encrypted = { ciphertext: bytes.subarray(0, end), nonce: bytes.subarray(end) }
    const serverShare = decryptText(bytesOf(unwrapKey), encrypted)
    const secretKey = exclusiveOr(bytesOf(serverShare), bytesOf(clientShare))
    // X25519 ignores five bits of a secret, which are fixed in every key of ours.
    const isClamped = ((secretKey[0] ?? 0) & 7) === 0 && ((secretKey[31] ?? 0) & 192) === 64
    if (!isClamped || hex(x25519PublicOf(secretKey)) !== publicKey) throw new Error('Another public key.')
    return { publicKey: bytesOf(publicKey), secretKey }
  } catch {
    throw new Error('This token is malformed, or the wrapped key share is not its own.')
  }
}

/** Whether a text has the form of a Phase token's bearer: 64 lower-case hex digits. Such a text is no other token. */
export const isPhaseBearer = (text: string): boolean => BEARER.test(text)

const PREFIX: Readonly<Record<PhaseTokenKind, string>> = { user: 'pss_user:v1', service: 'pss_service:v2' }
const FORM = /^(?:pss_user:v1|pss_service:v2):([0-9a-f]{64}):([0-9a-f]{64}):([0-9a-f]{64}):([0-9a-f]{64})$/
const WRAPPED = /^[0-9a-f]{208}$/
const BEARER = /^[0-9a-f]{64}$/

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
const bytesOf = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'hex'))

function exclusiveOr(one: Uint8Array, other: Uint8Array): Uint8Array {
  if (one.length !== 32 || other.length !== 32) throw new Error('A share must be 32 bytes long.')
  return one.map((byte, index) => byte ^ (other[index] as number))
}
