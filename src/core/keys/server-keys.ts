import { hkdfSync } from 'node:crypto'
import { decryptFromBase64, encryptToBase64 } from './encryption.ts'

/** What a key is for; each purpose has its own key, which separates them cryptographically. */
export type KeyPurpose = 'identity-key' | 'environment-key' | 'second-factor'

/** The field in which a wrapped value is stored, bound as associated data: the value can't be unwrapped elsewhere. */
export type StoredField = { table: string; rowId: string; field: string }

/** What the server wraps for itself, under keys derived from `SERVER_SECRET`. */
export type ServerKeys = {
  /** 8 hex digits that tell one `SERVER_SECRET` from another without revealing it. */
  readonly keyId: string
  /** The text as `kw:1:<key id>:<base64 of nonce ‖ ciphertext ‖ tag>`. */
  wrap(purpose: KeyPurpose, plaintextText: string, storedIn: StoredField): string
  /**
   * The text that `wrap` wrapped. Throws one and the same Error when the value is malformed, was changed, or
   * comes from another purpose, field or `SERVER_SECRET`.
   */
  unwrap(purpose: KeyPurpose, wrapped: string, storedIn: StoredField): string
}

/**
 * The server's keys from the 32 bytes of `SERVER_SECRET`; throws on another length. Keys and id are
 * HKDF-SHA256 (RFC 5869) with an empty salt; the secret itself is not kept.
 */
export function createServerKeys(serverSecret: Uint8Array): ServerKeys {
  if (serverSecret.length !== 32) {
    throw new Error('SERVER_SECRET must be 32 bytes: 64 hexadecimal characters.')
  }
  const keys: Record<KeyPurpose, Uint8Array> = {
    'identity-key': derive(serverSecret, 'keyward/identity-key/v1'),
    'environment-key': derive(serverSecret, 'keyward/environment-key/v1'),
    'second-factor': derive(serverSecret, 'keyward/second-factor/v1'),
  }
  const keyId = Buffer.from(derive(serverSecret, 'keyward/id')).toString('hex').slice(0, 8)
  const prefix = `kw:1:${keyId}:`
  return {
    keyId,
    wrap: (purpose, plaintextText, storedIn) =>
      prefix + encryptToBase64(keys[purpose], plaintextText, associatedData(storedIn)),
    unwrap(purpose, wrapped, storedIn) {
      try {
        if (!wrapped.startsWith(prefix)) throw new Error('Another key id.')
        return decryptFromBase64(keys[purpose], wrapped.slice(prefix.length), associatedData(storedIn))
      } catch {
        throw new Error(
          'A stored key cannot be unwrapped: it was changed, moved from its row, or wrapped under another SERVER_SECRET.',
        )
      }
    },
  }
}

function derive(serverSecret: Uint8Array, info: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', serverSecret, new Uint8Array(), info, 32))
}

// A JSON array quotes its strings: no two fields share an encoding, as they could with a separator.
function associatedData({ table, rowId, field }: StoredField): Uint8Array {
  return encoder.encode(JSON.stringify([table, rowId, field]))
}

const encoder = new TextEncoder()
