import { type Static, Type } from '@sinclair/typebox'
import { badRequest } from '../errors.ts'
import { Instant, instantFrom } from '../instant.ts'
import { Id, Nullable, StrictObject } from '../schema.ts'
import { normalisePath, Path } from './paths.ts'
import { KeyDigest, MAX_BYTES, Sealed, SecretType } from './sealed.ts'
import { MAX_SECRETS_PER_REQUEST, type NewOverride, type NewSecret, type SecretChange } from './secret.ts'
import { normaliseTags, Tags } from './tags.ts'

const Ignored = () => Type.Optional(Type.Unknown({ readOnly: true, description: 'Ignored.' }))

/** What a read answers and a write has no say in: it may be sent back, and is ignored. */
const IGNORED = {
  version: Ignored(),
  environment: Ignored(),
  folder: Ignored(),
  lifecycle: Ignored(),
  key_digest: Ignored(),
  created_at: Ignored(),
  createdAt: Ignored(),
  updated_at: Ignored(),
  updatedAt: Ignored(),
}

const SealedOverride = StrictObject(
  {
    value: Type.Optional(Sealed(MAX_BYTES.override, "The caller's own value, sealed.")),
    isActive: Type.Optional(Type.Boolean({ description: 'Whether it counts; true for a new one.' })),
    is_active: Type.Optional(
      Type.Boolean({ description: 'The same, by its name in answers; isActive comes first.' }),
    ),
    id: Ignored(),
    secret: Ignored(),
    created_at: Ignored(),
    createdAt: Ignored(),
    updated_at: Ignored(),
    updatedAt: Ignored(),
  },
  { description: 'A member’s own value, which nobody else sees.' },
)

const FIELDS = {
  key: Sealed(MAX_BYTES.key, 'The name, sealed.'),
  keyDigest: KeyDigest(),
  value: Sealed(MAX_BYTES.value, 'The value, sealed.'),
  comment: Type.Optional(Sealed(MAX_BYTES.comment, 'Sealed, or empty.', { minLength: 0 })),
  path: Type.Optional(Path('Folders before the name, such as /db; / when a new secret has none.')),
  tags: Type.Optional(Tags()),
  type: Type.Optional(SecretType),
  expiresAt: Type.Optional(
    Nullable(Instant('When the value should be replaced; nothing happens by itself.')),
  ),
  expires_at: Type.Optional(
    Nullable(Instant('The same, by its name in some answers; expiresAt comes first.')),
  ),
  override: Type.Optional(SealedOverride),
}

const listOf = <T extends ReturnType<typeof StrictObject>>(item: T) =>
  StrictObject({
    secrets: Type.Array(item, { maxItems: MAX_SECRETS_PER_REQUEST, description: 'Null is an empty list.' }),
  })

/** The body that creates sealed secrets. */
export const CreateSecrets = listOf(StrictObject({ ...FIELDS, ...IGNORED }))
export type CreateSecrets = Static<typeof CreateSecrets>

/** The body that changes sealed secrets. */
export const UpdateSecrets = listOf(
  StrictObject({
    id: Id({ description: 'The secret to change; what is left out stays.' }),
    ...FIELDS,
    key: Type.Optional(FIELDS.key),
    keyDigest: Type.Optional(FIELDS.keyDigest),
    value: Type.Optional(FIELDS.value),
    ...IGNORED,
  }),
)
export type UpdateSecrets = Static<typeof UpdateSecrets>

/** The body that deletes secrets. */
export const DeleteSecrets = StrictObject({
  secrets: Type.Array(Id(), {
    maxItems: MAX_SECRETS_PER_REQUEST,
    description: 'Ids; null is an empty list.',
  }),
})
export type DeleteSecrets = Static<typeof DeleteSecrets>

/** A body as its schema describes it: some clients send null for what they leave out, and for no tags. */
export function withoutNulls(body: unknown): unknown {
  if (!isObject(body) || !('secrets' in body)) return body
  const { secrets } = body
  if (secrets === null) return { ...body, secrets: [] }
  return Array.isArray(secrets) ? { ...body, secrets: secrets.map(withoutNullFields) } : body
}

/** New secrets as they are to be stored; 400 for what no schema can tell. */
export const newSecrets = ({ secrets }: CreateSecrets): NewSecret[] =>
  secrets.map((secret, index) => ({
    key: secret.key,
    keyDigest: secret.keyDigest.toLowerCase(),
    value: secret.value,
    comment: secret.comment ?? '',
    path: normalisePath(secret.path ?? '/'),
    tags: normaliseTags(secret.tags ?? [], `secrets[${index}].tags`),
    type: secret.type ?? 'secret',
    expiresAt: expiryOf(secret) ?? null,
    ...(secret.override !== undefined && { override: overrideOf(secret.override) }),
  }))

/** Changes of secrets as they are to be made; 400 for what no schema can tell. */
export function secretChanges({ secrets }: UpdateSecrets): SecretChange[] {
  requireDistinctIds(secrets.map(({ id }) => id))
  return secrets.map((secret, index) => {
    const { id, key, keyDigest, value, comment, path, tags, type, override } = secret
    const expiresAt = expiryOf(secret)
    if ((key === undefined) !== (keyDigest === undefined)) {
      throw badRequest(`secrets[${index}] must have both key and keyDigest, or neither.`)
    }
    return {
      id: id.toLowerCase(),
      ...(key !== undefined && { key }),
      ...(keyDigest !== undefined && { keyDigest: keyDigest.toLowerCase() }),
      ...(value !== undefined && { value }),
      ...(comment !== undefined && { comment }),
      ...(path !== undefined && { path: normalisePath(path) }),
      ...(tags !== undefined && { tags: normaliseTags(tags, `secrets[${index}].tags`) }),
      ...(type !== undefined && { type }),
      ...(expiresAt !== undefined && { expiresAt }),
      ...(override !== undefined && { override: overrideOf(override) }),
    }
  })
}

/** The ids of secrets to delete; 400 when one is repeated. */
export function secretIds({ secrets }: DeleteSecrets): readonly string[] {
  requireDistinctIds(secrets)
  return secrets
}

type Expiry = { expires_at?: string | null; expiresAt?: string | null }

/** Undefined where it was not sent, null for none. */
const expiryOf = ({ expires_at, expiresAt = expires_at }: Expiry): Date | null | undefined =>
  expiresAt == null ? expiresAt : instantFrom(expiresAt)

const overrideOf = ({
  value,
  is_active,
  isActive = is_active,
}: Static<typeof SealedOverride>): NewOverride => ({
  ...(value !== undefined && { value }),
  ...(isActive !== undefined && { isActive }),
})

/** 400 when two items of a request name the same secret. */
export function requireDistinctIds(ids: readonly string[]): void {
  const places = new Map<string, number>()
  for (const [index, id] of ids.entries()) {
    const place = places.get(id.toLowerCase())
    if (place !== undefined) throw badRequest(`secrets[${index}] repeats secrets[${place}].`)
    places.set(id.toLowerCase(), index)
  }
}

/** Fields of which null says the same as nothing; the expiry is not one. */
const NULL_IS_ABSENT = ['comment', 'path', 'type', 'override']

function withoutNullFields(secret: unknown): unknown {
  if (!isObject(secret)) return secret
  const kept = Object.entries(secret).filter(
    ([name, value]) => value !== null || !NULL_IS_ABSENT.includes(name),
  )
  return { ...Object.fromEntries(kept), ...(secret.tags === null && { tags: [] }) }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
