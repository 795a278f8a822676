import { generateKeyPairSync } from 'node:crypto'
import { ed25519 } from '@noble/curves/ed25519.js'

/** A principal's Ed25519 key pair; both halves are 32 bytes in lower-case hex, the private one is the seed. */
export type IdentityKeys = { publicKey: string; privateKey: string }

/** A fresh identity key pair (RFC 8032). */
export function generateIdentityKeys(): IdentityKeys {
  const { x, d } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  if (x === undefined || d === undefined) throw new Error('The Ed25519 key pair cannot be exported.')
  return { publicKey: base64urlToHex(x), privateKey: base64urlToHex(d) }
}

/**
 * The X25519 public key of an identity's public key (hex): libsodium's crypto_sign_ed25519_pk_to_curve25519,
 * the map of RFC 7748 §4.1. Throws when it is not 64 lower-case hex digits, not a point of the curve, or of
 * small order. Unlike libsodium it takes a point with a component of small order: a clamped X25519 secret
 * removes that component, and looking for it costs as much as six wraps.
 */
export function identityKeyToX25519Public(publicKeyHex: string): Uint8Array {
  const point = decodePoint(keyBytes(publicKeyHex, 'public'))
  if (point.isSmallOrder()) throw notAnIdentityKey('public')
  const { Fp } = ed25519.Point
  const { y } = point
  return Fp.toBytes(Fp.div(Fp.add(Fp.ONE, y), Fp.sub(Fp.ONE, y)))
}

/**
 * The X25519 secret key of an identity's private key (hex): libsodium's crypto_sign_ed25519_sk_to_curve25519,
 * the clamped first half of SHA-512 of the seed. Throws when it is not 64 lower-case hex digits.
 */
export function identityKeyToX25519Secret(privateKeyHex: string): Uint8Array {
  return ed25519.utils.toMontgomerySecret(keyBytes(privateKeyHex, 'private'))
}

function base64urlToHex(text: string): string {
  return Buffer.from(text, 'base64url').toString('hex')
}

function keyBytes(hex: string, half: 'public' | 'private'): Uint8Array {
  if (!/^[0-9a-f]{64}$/.test(hex)) throw notAnIdentityKey(half)
  return Uint8Array.from(Buffer.from(hex, 'hex'))
}

function decodePoint(publicKey: Uint8Array) {
  try {
    return ed25519.Point.fromBytes(publicKey)
  } catch {
    throw notAnIdentityKey('public')
  }
}

function notAnIdentityKey(half: 'public' | 'private'): Error {
  return new Error(
    half === 'public'
      ? 'An identity public key must be an Ed25519 public key of 64 lower-case hex digits.'
      : 'An identity private key must be an Ed25519 seed of 64 lower-case hex digits.',
  )
}
