import { type Static, Type } from '@sinclair/typebox'
import { Nullable, StrictObject, Timestamp } from '../schema.ts'
import { SecretType } from './sealed.ts'
import type { VersionHeadRow, VersionRow } from './version-queries.ts'

/** How many versions of a secret are kept, and for how long those of a deleted one. */
export const MAX_VERSIONS = 100
export const DELETED_DAYS = 90

/** How many bytes an environment's versions can count, those of deleted secrets included: each its texts and 1 KiB more. */
export const MAX_VERSIONS_BYTES = 64 * 1024 * 1024

/** A state that a secret was in. */
export const SecretVersion = Type.Object({
  id: Type.String({ description: 'The id of the secret.' }),
  version: Type.Integer(),
  event: Type.Union(
    [Type.Literal('created'), Type.Literal('updated'), Type.Literal('deleted'), Type.Literal('restored')],
    { description: 'What made it.' },
  ),
  path: Type.String(),
  tags: Type.Array(Type.String()),
  type: SecretType,
  expiresAt: Nullable(Timestamp()),
  createdAt: Timestamp(),
  actor: Type.Object(
    { type: Type.String(), id: Type.String(), name: Type.String() },
    { description: 'Who made it, with the name at that time.' },
  ),
  key: Type.Optional(Type.String({ description: 'Sealed; only with `values=true`.' })),
  keyDigest: Type.Optional(Type.String({ description: 'Only with `values=true`.' })),
  value: Type.Optional(Type.String({ description: 'Sealed; only with `values=true`.' })),
  comment: Type.Optional(Type.String({ description: 'Sealed, or empty; only with `values=true`.' })),
})
export type SecretVersion = Static<typeof SecretVersion>

/** The body that brings a secret back to a version. */
export const RestoreSecret = StrictObject({
  version: Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'The version to come back to.' }),
})
export type RestoreSecret = Static<typeof RestoreSecret>

/** A version as it is shown, with its sealed texts where they were read. */
export const present = (row: VersionHeadRow | VersionRow): SecretVersion => ({
  id: row.secret_id,
  version: row.version,
  event: row.event,
  path: row.path,
  tags: row.tags,
  type: row.type,
  expiresAt: row.expires_at?.toISOString() ?? null,
  createdAt: row.created_at.toISOString(),
  actor: { type: row.actor_type, id: row.actor_id, name: row.actor_name },
  ...('value' in row && { key: row.key, keyDigest: row.key_digest, value: row.value, comment: row.comment }),
})
