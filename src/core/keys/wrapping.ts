import type { KeyObject } from 'node:crypto'
import { encryptText } from './encryption.ts'
import { identityKeyToX25519Public } from './identity-keys.ts'
import { senderKey } from './session-keys.ts'
import { decapsulate } from './unwrapping.ts'
import { generateX25519Pair, importX25519Public, x25519SharedSecret } from './x25519.ts'

/** For whom a text is wrapped, with the X25519 key imported once for any number of wraps. */
export type Recipient = { readonly publicKey: Uint8Array; readonly keyObject: KeyObject }

/**
 * The recipient with this identity key: 64 lower-case hex digits of an Ed25519 public key. Throws when it is not one.
 * The 4,096 that were asked for last are kept, all public: finding one's X25519 key costs as much as wrapping for it.
 */
export function prepareRecipient(identityPublicKeyHex: string): Recipient {
  const recipient =
    prepared.get(identityPublicKeyHex) ?? recipientOf(identityKeyToX25519Public(identityPublicKeyHex))
  // A map is in the order of insertion: the first one was asked for the longest time ago.
  prepared.delete(identityPublicKeyHex)
  prepared.set(identityPublicKeyHex, recipient)
  if (prepared.size > 4096) prepared.delete(prepared.keys().next().value as string)
  return recipient
}

/**
 * One key agreement with a recipient, for all the texts that one change wraps for it: each has a nonce of its own
 * (RFC 9180 §5.2 does the same, with a counter). Dispose of it with the change, as `using` does.
 */
export type Encapsulation = Disposable & {
  /**
   * The text, or bytes as they are, as `ph:v1:<ephemeral public key, hex>:<base64 of ciphertext ‖ tag ‖ nonce>`. Throws
   * once it is disposed of. The nonce is random; one that is given must be given for this text only.
   */
  readonly wrap: (text: string | Uint8Array, nonce?: Uint8Array) => string
}

/**
 * Agrees on a key with a recipient, by a key pair made for this call alone. Throws for a low-order public key.
 */
export function encapsulate(recipient: Recipient): Encapsulation {
  // Nothing refers to the pair's secret half once this function has returned.
  const ephemeral = generateX25519Pair()
  const shared = x25519SharedSecret(ephemeral.secretKey, recipient.keyObject)
  const key = senderKey(shared, ephemeral.publicKey, recipient.publicKey)
  shared.fill(0)
  const start = `ph:v1:${Buffer.from(ephemeral.publicKey).toString('hex')}:`
  let isDisposed = false
  return {
    wrap(text, given) {
      if (isDisposed) throw new Error('This encapsulation has ended.')
      const { ciphertext, nonce } = encryptText(key, text, undefined, given)
      return start + Buffer.concat([ciphertext, nonce]).toString('base64')
    },
    [Symbol.dispose]() {
      isDisposed = true
      key.fill(0)
    },
  }
}

/** Wraps one text for a recipient, under an encapsulation of its own. */
export function wrapForRecipient(plaintextText: string, recipient: Recipient): string {
  using encapsulation = encapsulate(recipient)
  return encapsulation.wrap(plaintextText)
}

/** The recipient with this X25519 public key of 32 bytes, such as an environment's. */
export function recipientOf(publicKey: Uint8Array): Recipient {
  return { publicKey: Uint8Array.from(publicKey), keyObject: importX25519Public(publicKey) }
}

/** `wrapForRecipient` for the 32 bytes of an X25519 public key, such as an environment's. */
export function wrapForPublicKey(plaintextText: string, recipientX25519Public: Uint8Array): string {
  return wrapForRecipient(plaintextText, recipientOf(recipientX25519Public))
}

/**
 * The text that `wrapForRecipient` wrapped, from the recipient's 32-byte X25519 keys.
 * Throws one and the same Error for a malformed value, one for another recipient and one that was changed.
 */
export function unwrapWithSecretKey(
  wrapped: string,
  x25519Public: Uint8Array,
  x25519Secret: Uint8Array,
): string {
  using decapsulation = decapsulate(x25519Public, x25519Secret)
  return decapsulation.unwrap(wrapped)
}

const prepared = new Map<string, Recipient>()
