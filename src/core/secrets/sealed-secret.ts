import { type Static, Type } from '@sinclair/typebox'
import { Nullable, Timestamp } from '../schema.ts'
import { SecretType } from './sealed.ts'
import type { OverrideRow, SecretRow } from './secret.ts'

const sealed = (description: string) => Type.String({ description })

const common = {
  id: Type.String(),
  key: sealed('The name, sealed.'),
  value: sealed('The value, sealed.'),
  comment: sealed('Sealed, or empty.'),
  path: Type.String(),
  tags: Type.Array(Type.String()),
  type: SecretType,
  lifecycle: Type.Literal('static'),
  version: Type.Integer({ description: 'How often it was stored, from 1.' }),
  environment: Type.String(),
  folder: Nullable(Type.String({ description: 'Always null: folders exist by having secrets.' })),
}
const digest = Type.String({ description: "A digest of the name, keyed with the environment's salt." })
const expiry = Type.Optional(Type.String({ format: 'date-time', description: 'Absent where there is none.' }))

/** The caller's own value of a secret. */
export const Override = Type.Object({
  id: Type.String(),
  secret: Type.String({ description: 'The id of the secret.' }),
  value: sealed('The value, sealed.'),
  isActive: Type.Boolean({ description: 'Whether it counts in place of the secret’s value.' }),
  createdAt: Timestamp(),
  updatedAt: Timestamp(),
})
export type Override = Static<typeof Override>

/** A secret as it is stored: its texts sealed. */
export const SealedSecret = Type.Object({
  ...common,
  keyDigest: digest,
  createdAt: Timestamp(),
  updatedAt: Timestamp(),
  expiresAt: expiry,
  override: Nullable(Override),
})
export type SealedSecret = Static<typeof SealedSecret>

/** `SealedSecret` with the names that Phase's clients look for. */
export const SnakeCaseSecret = Type.Object({
  ...common,
  key_digest: digest,
  created_at: Timestamp(),
  updated_at: Timestamp(),
  expires_at: expiry,
  override: Nullable(
    Type.Object({
      id: Type.String(),
      secret: Type.String({ description: 'The id of the secret.' }),
      value: sealed('The value, sealed.'),
      is_active: Type.Boolean({ description: 'Whether it counts in place of the secret’s value.' }),
      created_at: Timestamp(),
      updated_at: Timestamp(),
    }),
  ),
})
export type SnakeCaseSecret = Static<typeof SnakeCaseSecret>

/** A secret as it is shown. */
export const present = (row: SecretRow): SealedSecret => ({
  ...commonOf(row),
  keyDigest: row.key_digest,
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
  ...(row.expires_at !== null && { expiresAt: row.expires_at.toISOString() }),
  override: row.override === null ? null : presentOverride(row.override),
})

/** An override as its owner sees it. */
export const presentOverride = (row: OverrideRow): Override => ({
  id: row.id,
  secret: row.secret_id,
  value: row.value,
  isActive: row.is_active,
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
})

/** A secret as Phase's clients read it. */
export const presentInSnakeCase = (row: SecretRow): SnakeCaseSecret => ({
  ...commonOf(row),
  key_digest: row.key_digest,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
  ...(row.expires_at !== null && { expires_at: row.expires_at.toISOString() }),
  override:
    row.override === null
      ? null
      : {
          id: row.override.id,
          secret: row.override.secret_id,
          value: row.override.value,
          is_active: row.override.is_active,
          created_at: row.override.created_at.toISOString(),
          updated_at: row.override.updated_at.toISOString(),
        },
})

const commonOf = ({ id, key, value, comment, path, tags, type, version, environment_id }: SecretRow) => ({
  id,
  key,
  value,
  comment,
  path,
  tags,
  type,
  lifecycle: 'static' as const,
  version,
  environment: environment_id,
  folder: null,
})
