import type { PlainSecret } from '../../../core/plain-secrets/plain-secret.ts'

/** A secret in clear, as it is stored: references are not resolved. */
export type Secret = PlainSecret
export type SecretType = Secret['type']

/** What a secret is to have; in a change, what is left out stays. */
export type SecretFields = {
  key: string
  value: string
  path: string
  tags: string[]
  comment: string
  type: SecretType
  expiresAt: string | null
}
export type NewSecret = Pick<SecretFields, 'key' | 'value' | 'path'> & Partial<SecretFields>
export type SecretChange = { id: string } & Partial<SecretFields>
