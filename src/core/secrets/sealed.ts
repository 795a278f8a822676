import { type TUnsafe, Type } from '@sinclair/typebox'
import { defineKind } from '../schema.ts'

/** The most bytes of UTF-8 that a field of a secret may have, before it is sealed. */
export const MAX_BYTES = { key: 256, value: 64 * 1024, comment: 4 * 1024, override: 64 * 1024 } as const

const NONCE_AND_TAG_BYTES = 40
const START = /^ph:v1:[0-9a-f]{64}:/
const START_LENGTH = 71

/** How long a text of so many bytes is once it is sealed. */
export const sealedLength = (bytes: number): number =>
  START_LENGTH + 4 * Math.ceil((bytes + NONCE_AND_TAG_BYTES) / 3)

/** Whether a text has the form of a sealed one: `ph:v1`, 64 hex digits, and canonical base64 of at least 40 bytes. */
export function isSealed(text: string): boolean {
  if (!START.test(text)) return false
  const encoded = text.slice(START_LENGTH)
  const bytes = Buffer.from(encoded, 'base64')
  return bytes.length >= NONCE_AND_TAG_BYTES && bytes.toString('base64') === encoded
}

const sealed = defineKind('Sealed', (value, field, { maxLength, minLength }) => {
  if (typeof value !== 'string') return `${field} must be a string.`
  if (value === '' && minLength === 0) return null
  if (value.length > Number(maxLength)) return `${field} must have at most ${maxLength} characters, sealed.`
  if (isSealed(value)) return null
  return `${field} must be sealed for the environment's public key: ph:v1:<64 hex digits>:<base64>.`
})

/** A text that was sealed for an environment's public key, of at most `maxBytes` before. */
export const Sealed = (
  maxBytes: number,
  description: string,
  options: { minLength: number } = { minLength: sealedLength(0) },
): TUnsafe<string> =>
  sealed<string>({
    type: 'string',
    maxLength: sealedLength(maxBytes),
    description,
    example: EXAMPLE,
    ...options,
  })

/** Of the right form: it opens nothing. */
const EXAMPLE = `ph:v1:${'5a'.repeat(32)}:${'c2VhbGVk'.repeat(8)}`

const digest = defineKind('KeyDigest', (value, field) =>
  typeof value === 'string' && isKeyDigest(value) ? null : `${field} must be 64 hex digits.`,
)

/** Whether a text has the form of a keyed digest of a secret's key. */
export const isKeyDigest = (text: string): boolean => /^[0-9a-f]{64}$/i.test(text)

/** The keyed digest of a secret's key. */
export const KeyDigest = () =>
  digest<string>({
    type: 'string',
    example: '0f'.repeat(32),
    description: "BLAKE2b-256 of the key's name, keyed with the environment's salt: 64 hex digits.",
  })

/** What a secret is; a sealed one stays sealed. */
export const SecretType = Type.Union(
  [Type.Literal('secret'), Type.Literal('sealed'), Type.Literal('config')],
  { description: 'A sealed secret stays sealed, and no console shows its value.' },
)
