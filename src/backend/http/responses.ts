import { type TSchema, type TUnsafe, Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { ErrorBody } from '../../core/contract/errors.ts'
import { defineKind, Nullable, StrictObject, Text } from '../../core/schema.ts'

const ERROR_DESCRIPTIONS = {
  400: 'The body or a query parameter has the wrong shape, or the Host is not allowed.',
  401: 'No credentials, or the token is malformed, unknown, expired, revoked or of a removed member.',
  403: "The caller's role lacks the permission, or a rule forbids it.",
  404: 'The organisation has no such resource.',
  409: 'Conflicts with existing data.',
  412: 'It is no longer what `If-Match` names.',
  413: 'The body is larger than 1 MiB, or under `/service/auth/` larger than 16 KiB.',
  415: 'The body is not application/json, or has a Content-Encoding.',
  429: 'Too many requests; `Retry-After` says when to try again.',
  500: 'Internal error.',
  501: 'This deployment hashes no passwords.',
  503: 'The database cannot be reached or is busy, or too many large requests are under way; `Retry-After` says when to try again.',
} as const
export type ErrorStatus = keyof typeof ERROR_DESCRIPTIONS

/** The responses of a route: its success, and its errors (429, 500 and 503 are added to every route). */
export function responses<S extends number, T extends TSchema>(
  status: S,
  schema: T,
  ...errors: ErrorStatus[]
) {
  const described = [...errors, 429 as const, 500 as const, 503 as const].map((code) => [
    code,
    Type.Object(ErrorBody.properties, { description: ERROR_DESCRIPTIONS[code] }),
  ])
  return { [status]: schema, ...Object.fromEntries(described) } as { [K in S]: T }
}

/** A response without a body. */
export const NoContent = Type.Void({ description: 'Success, without a body.' })

/** The body of a route that needs none: absent, or an empty object. */
export const EmptyBody = Nullable(StrictObject({}))

const limit = defineKind('Limit', (value, field, { minimum, maximum }) => {
  const number = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value
  const fits =
    Number.isInteger(number) && Number(number) >= Number(minimum) && Number(number) <= Number(maximum)
  return fits ? null : `${field} must be a whole number from ${minimum} to ${maximum}.`
})

/** Elysia's integer type loses the parameter's name when the number is out of range. */
const Limit = Type.Transform(
  limit<number>({
    type: 'integer',
    minimum: 1,
    maximum: 200,
    description: 'At most this many items.',
  }),
)
  .Decode(Number)
  .Encode((value) => value)

/** The query of a list; without parameters it returns everything. Unknown parameters are ignored. */
export const PageQuery = t.Object(
  {
    limit: t.Optional(Limit),
    // It may hold a name of 64 characters, some of which stand for many.
    cursor: t.Optional(Text(4000, { description: 'The `nextCursor` of the previous page.' })),
  },
  { additionalProperties: true },
)

/** The parameters of a list that is searched, `q` as `searched` says, and sorted by one of the fields. */
export const searchAndSort = <Field extends string>(fields: readonly Field[], searched: string) => ({
  q: t.Optional(
    Text(100, { minLength: 1, description: `${searched}, in any case. Every character stands for itself.` }),
  ),
  sort: t.Optional(
    Type.Union(
      fields.flatMap((field) => [Type.Literal(field), Type.Literal(`-${field}`)]),
      { description: 'The field to sort by; with `-` before it descending. Oldest first without it.' },
    ) as unknown as TUnsafe<Field | `-${Field}`>,
  ),
})

/** The query parameter that only holders of a role pass. */
export const HoldersOf = (what: string) => ExactText(`Only ${what} this role, by its id.`)

/** A query parameter that only what has exactly this text passes. */
export const ExactText = (description: string) => t.Optional(Text(200, { description }))

/** The path parameters of one item; a malformed id is not found. */
export const ById = t.Object({ id: t.String({ description: 'A UUID.' }) })
