import sodium from 'libsodium-wrappers'

/*
 * The published wire formats written once more, with libsodium and WebCrypto and nothing of src/: what a
 * client of Keyward has to do to open what the server wraps.
 */
await sodium.ready

export type X25519Pair = { publicKey: Uint8Array; secretKey: Uint8Array }

export function clientIdentity(seedHex: string): { identityPublicKey: string; x25519: X25519Pair } {
  const pair = sodium.crypto_sign_seed_keypair(sodium.from_hex(seedHex))
  const x25519 = {
    publicKey: sodium.crypto_sign_ed25519_pk_to_curve25519(pair.publicKey),
    secretKey: sodium.crypto_sign_ed25519_sk_to_curve25519(pair.privateKey),
  }
  return { identityPublicKey: sodium.to_hex(pair.publicKey), x25519 }
}

export function clientEnvironmentPair(seedHex: string): X25519Pair {
  const pair = sodium.crypto_kx_seed_keypair(sodium.from_hex(seedHex))
  return { publicKey: pair.publicKey, secretKey: pair.privateKey }
}

export function clientWrap(text: string, recipientPublic: Uint8Array): string {
  const ephemeral = sodium.crypto_kx_keypair()
  const { sharedTx } = sodium.crypto_kx_client_session_keys(
    ephemeral.publicKey,
    ephemeral.privateKey,
    recipientPublic,
  )
  const nonce = sodium.randombytes_buf(sodium.crypto_aead_xchacha20poly1305_ietf_NPUBBYTES)
  const ciphertext = sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(text, null, null, nonce, sharedTx)
  const sealed = sodium.to_base64(new Uint8Array([...ciphertext, ...nonce]), sodium.base64_variants.ORIGINAL)
  return `ph:v1:${sodium.to_hex(ephemeral.publicKey)}:${sealed}`
}

export function clientUnwrap(wrapped: string, recipient: X25519Pair): string {
  const [format, version, ephemeralHex = '', base64 = ''] = wrapped.split(':')
  if (format !== 'ph' || version !== 'v1') throw new Error('not ph:v1')
  const ephemeralPublic = sodium.from_hex(ephemeralHex)
  const shared = sodium.crypto_scalarmult(recipient.secretKey, ephemeralPublic)
  const input = new Uint8Array([...shared, ...ephemeralPublic, ...recipient.publicKey])
  const key = sodium.crypto_generichash(64, input, null).slice(32)
  const bytes = sodium.from_base64(base64, sodium.base64_variants.ORIGINAL)
  return open(bytes.slice(0, -24), bytes.slice(-24), key)
}

export async function clientOpenWithToken(token: string, wrapped: string): Promise<string> {
  const [format, version, base64 = ''] = wrapped.split(':')
  if (format !== 'kt' || version !== 'v1') throw new Error('not kt:v1')
  const key = await hkdfSha256(new TextEncoder().encode(token), 'keyward/token/v1')
  const bytes = sodium.from_base64(base64, sodium.base64_variants.ORIGINAL)
  return open(bytes.slice(24), bytes.slice(0, 24), key)
}

/** The X25519 pair, from the whole text of a token in Phase's format and the share that the server keeps. */
export function clientOpenPhaseToken(text: string, wrappedKeyShare: string): X25519Pair {
  const [, , , publicKey = '', share = '', unwrapKey = ''] = text.split(':')
  const bytes = sodium.from_hex(wrappedKeyShare)
  const otherShare = sodium.from_hex(open(bytes.slice(0, -24), bytes.slice(-24), sodium.from_hex(unwrapKey)))
  const secretKey = sodium.from_hex(share).map((byte, index) => byte ^ (otherShare[index] as number))
  return { publicKey: sodium.from_hex(publicKey), secretKey }
}

export async function hkdfSha256(material: Uint8Array<ArrayBuffer>, info: string): Promise<Uint8Array> {
  const key = await crypto.subtle.importKey('raw', material, 'HKDF', false, ['deriveBits'])
  const parameters = {
    name: 'HKDF',
    hash: 'SHA-256',
    salt: new Uint8Array(),
    info: new TextEncoder().encode(info),
  }
  return new Uint8Array(await crypto.subtle.deriveBits(parameters, key, 256))
}

function open(ciphertext: Uint8Array, nonce: Uint8Array, key: Uint8Array): string {
  const bytes = sodium.crypto_aead_xchacha20poly1305_ietf_decrypt(null, ciphertext, null, nonce, key)
  // As text, libsodium would leave out a byte order mark at the beginning.
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
}
