import type { Row } from '../tables.ts'

/** What a secret is; a sealed one stays sealed. */
export type SecretType = Row<'secrets', 'type'>['type']

/**
 * Where secrets are: an environment. `publicKey` is the key that they were sealed for, where the caller of the use case
 * sealed them itself: 409 when the environment has another one by now.
 */
export type Place = Readonly<{ environmentId: string; publicKey?: string }>

/** A member's own value of a secret, as it is to be stored: sealed, like every text of a secret. */
export type NewOverride = Readonly<{ value?: string; isActive?: boolean }>

/** A secret that is to be stored. All texts are sealed for the environment's public key; the digest is in lower case. */
export type NewSecret = Readonly<{
  key: string
  keyDigest: string
  value: string
  comment: string
  /** As `normalisePath` gives it. */
  path: string
  /** As `normaliseTags` gives them. */
  tags: readonly string[]
  type: SecretType
  expiresAt: Date | null
  override?: NewOverride
}>

/** A change of a secret; what is left out stays. `key` and `keyDigest` come together or not at all. */
export type SecretChange = Readonly<{ id: string }> & Partial<NewSecret>

/** Which secrets of an environment to read; a field that is left out restricts nothing, and `tags` are any of. */
export type SecretFilter = Readonly<{
  path?: string
  keyDigest?: string
  tags?: readonly string[]
  ids?: readonly string[]
}>

/** The caller's own value of a secret, as it is stored. */
export type OverrideRow = Row<
  'secret_overrides',
  'id' | 'secret_id' | 'value' | 'is_active' | 'created_at' | 'updated_at'
>

/** A secret as it is stored, with the override of whoever asks. The digest is hex text. */
export type SecretRow = Row<
  'secrets',
  | 'id'
  | 'environment_id'
  | 'path'
  | 'key'
  | 'value'
  | 'comment'
  | 'tags'
  | 'type'
  | 'version'
  | 'expires_at'
  | 'created_at'
  | 'updated_at'
> &
  Readonly<{ key_digest: string; override: OverrideRow | null }>

/** How many secrets an environment can have. */
export const MAX_SECRETS = 5000

/** How many bytes the secrets of an environment can take as they are stored, and one member's overrides of them. */
export const MAX_STORED_BYTES = { secrets: 8 * 1024 * 1024, overrides: 4 * 1024 * 1024 } as const

/**
 * How many overrides there can be: those of a member in all environments go in one transaction with the membership, those
 * of all members in an environment with that.
 */
export const MAX_OVERRIDES = { ofMember: 20_000, inEnvironment: 100_000 } as const

/** How many secrets one request can write. */
export const MAX_SECRETS_PER_REQUEST = 2000
