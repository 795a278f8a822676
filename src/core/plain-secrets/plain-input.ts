import { type Static, type TUnsafe, Type } from '@sinclair/typebox'
import { badRequest } from '../errors.ts'
import { Instant, instantFrom } from '../instant.ts'
import { defineKind, Id, Nullable, StrictObject } from '../schema.ts'
import { requireDistinctIds } from '../secrets/input.ts'
import { normalisePath, Path } from '../secrets/paths.ts'
import { MAX_BYTES, SecretType } from '../secrets/sealed.ts'
import { MAX_SECRETS_PER_REQUEST, type NewOverride } from '../secrets/secret.ts'
import { normaliseTags, Tags } from '../secrets/tags.ts'
import { keyFault } from './plain-secret.ts'

const plainText = defineKind('PlainText', (value, field, { maxLength }) => {
  if (typeof value !== 'string') return `${field} must be a string.`
  return Buffer.byteLength(value) > Number(maxLength)
    ? `${field} must have at most ${maxLength} bytes.`
    : null
})

/** A text that is sealed before it is stored, of at most so many bytes of UTF-8. */
const PlainText = (maxBytes: number, description: string): TUnsafe<string> =>
  plainText<string>({
    type: 'string',
    maxLength: maxBytes,
    description: `${description} At most ${maxBytes} bytes.`,
  })

const key = defineKind('SecretKey', (value, field) =>
  typeof value === 'string' ? keyFault(value, field) : `${field} must be a string.`,
)
const Key = () =>
  key<string>({
    type: 'string',
    minLength: 1,
    description: 'The name: at most 256 bytes, without white space, "=", "{" and "}".',
  })

const Ignored = () => Type.Optional(Type.Unknown({ description: 'Ignored.' }))
const optional = <T extends TUnsafe<string> | ReturnType<typeof StrictObject>>(schema: T) =>
  Type.Optional(Nullable(schema))

/** What a read answers and a write has no say in: it may be sent back, and is ignored. */
const IGNORED = Object.fromEntries(
  'version,environment,folder,lifecycle,keyDigest,key_digest,createdAt,created_at,updatedAt,updated_at'
    .split(',')
    .map((name) => [name, Ignored()]),
)

const PlainOverride = StrictObject(
  {
    value: Type.Optional(PlainText(MAX_BYTES.override, "The caller's own value.")),
    isActive: Type.Optional(Type.Boolean({ description: 'Whether it counts; true when absent.' })),
    ...Object.fromEntries(
      'id,secret,createdAt,created_at,updatedAt,updated_at'.split(',').map((name) => [name, Ignored()]),
    ),
  },
  { description: 'A member’s own value, which nobody else sees.' },
)

const Expiry = () =>
  Nullable(Instant('When the value should be replaced; null for never. Nothing happens by itself.'))

const FIELDS = {
  key: Key(),
  value: PlainText(MAX_BYTES.value, 'The value.'),
  comment: optional(PlainText(MAX_BYTES.comment, 'What there is to know; null when absent.')),
  path: optional(Path('Folders before the name, such as /db; / when a new secret has none.')),
  tags: Type.Optional(Nullable(Tags())),
  type: Type.Optional(Nullable(SecretType)),
  expiresAt: Type.Optional(Expiry()),
  expires_at: Type.Optional(Expiry()),
  override: optional(PlainOverride),
}

const listOf = <T extends ReturnType<typeof StrictObject>>(item: T) =>
  StrictObject({ secrets: Type.Array(item, { minItems: 1, maxItems: MAX_SECRETS_PER_REQUEST }) })

/** The body that creates secrets in clear. */
export const CreatePlainSecrets = listOf(StrictObject({ id: Ignored(), ...FIELDS, ...IGNORED }))
export type CreatePlainSecrets = Static<typeof CreatePlainSecrets>

/** The body that changes secrets in clear. */
export const UpdatePlainSecrets = listOf(
  StrictObject({
    id: Id({ description: 'The secret to change; what is left out stays.' }),
    ...FIELDS,
    key: Type.Optional(FIELDS.key),
    value: Type.Optional(FIELDS.value),
    ...IGNORED,
  }),
)
export type UpdatePlainSecrets = Static<typeof UpdatePlainSecrets>

/** The body that deletes secrets. */
export const DeletePlainSecrets = StrictObject({
  secrets: Type.Array(Id(), { minItems: 1, maxItems: MAX_SECRETS_PER_REQUEST, description: 'Ids.' }),
})
export type DeletePlainSecrets = Static<typeof DeletePlainSecrets>

/** A change of a secret in clear; what is left out stays. */
export type PlainChange = Readonly<{
  id: string
  key?: string
  value?: string
  comment?: string
  path?: string
  tags?: string[]
  type?: Static<typeof SecretType>
  expiresAt?: Date | null
  override?: NewOverride
}>

/** A new secret in clear. */
export type PlainNewSecret = Omit<PlainChange, 'id'> & Required<Pick<PlainChange, 'key' | 'value'>>

/** New secrets, from a body; 400 for what no schema can tell. */
export const plainSecrets = ({ secrets }: CreatePlainSecrets): PlainNewSecret[] =>
  secrets.map((secret, index) => ({
    ...fieldsOf(secret, `secrets[${index}]`),
    key: secret.key,
    value: secret.value,
  }))

/** Changes of secrets, from a body; 400 for what no schema can tell. */
export function plainChanges({ secrets }: UpdatePlainSecrets): PlainChange[] {
  requireDistinctIds(secrets.map(({ id }) => id))
  return secrets.map((secret, index) => ({
    id: secret.id.toLowerCase(),
    ...fieldsOf(secret, `secrets[${index}]`),
    ...(secret.key !== undefined && { key: secret.key }),
    ...(secret.value !== undefined && { value: secret.value }),
  }))
}

type Fields = Omit<UpdatePlainSecrets['secrets'][number], 'id' | 'key' | 'value'>

function fieldsOf(secret: Fields, field: string): Omit<PlainChange, 'id' | 'key' | 'value'> {
  const { comment, path, tags, type, override } = secret
  if (secret.expiresAt !== undefined && secret.expires_at !== undefined) {
    throw badRequest(`${field} must have only one of expiresAt and expires_at.`)
  }
  const expiresAt = secret.expiresAt === undefined ? secret.expires_at : secret.expiresAt
  return {
    ...(comment != null && { comment }),
    ...(path != null && { path: normalisePath(path) }),
    ...(tags !== undefined && { tags: normaliseTags(tags ?? [], `${field}.tags`) }),
    ...(type != null && { type }),
    ...(expiresAt !== undefined && { expiresAt: expiresAt === null ? null : instantFrom(expiresAt) }),
    ...(override != null && { override: overrideOf(override) }),
  }
}

const overrideOf = ({ value, isActive }: Static<typeof PlainOverride>): NewOverride => ({
  ...(value !== undefined && { value }),
  ...(isActive !== undefined && { isActive }),
})
