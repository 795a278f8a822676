import { type Static, Type } from '@sinclair/typebox'
import { Nullable } from '../schema.ts'
import { Override, SealedSecret } from '../secrets/sealed-secret.ts'
import { byteLength } from '../text.ts'

/** The caller's own value of a secret, in clear. */
const PlainOverride = Type.Object({
  ...Override.properties,
  value: Type.String({ description: 'The value, in clear.' }),
})

/** A secret in clear. */
export const PlainSecret = Type.Object({
  ...SealedSecret.properties,
  key: Type.String({ description: 'The name, in clear.' }),
  value: Type.String({ description: 'The value, in clear.' }),
  comment: Type.String({ description: 'In clear.' }),
  override: Nullable(PlainOverride),
})
export type PlainSecret = Static<typeof PlainSecret>

const MAX_KEY_BYTES = 256

/** Why a text can't be the key of a secret, as a sentence that begins with `field`; null when it can. */
export function keyFault(key: string, field: string): string | null {
  if (key === '') return `${field} must not be empty.`
  if (byteLength(key) > MAX_KEY_BYTES) {
    return `${field} must have at most ${MAX_KEY_BYTES} bytes.`
  }
  if (!key.isWellFormed()) return `${field} must be well-formed Unicode.`
  return /[\s\p{Cc}={}]/u.test(key)
    ? `${field} must not contain white space, control characters, "=", "{" or "}".`
    : null
}
