import { type TSchema, Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { defineKind, Nullable, StrictObject } from '../../core/schema.ts'

/** Every error: one sentence. */
export const ErrorBody = Type.Object({ error: Type.String() })

const ERROR_DESCRIPTIONS = {
  400: 'The body or a query parameter has the wrong shape, or the Host is not served.',
  401: 'No credentials, or the token is malformed, unknown, expired, revoked or of a removed member.',
  403: "The caller's role lacks the permission, or a rule forbids it.",
  404: 'There is no such thing in the organisation.',
  409: 'It stands against what is there already.',
  413: 'The body is larger than 1 MiB, or under `/service/auth/` larger than 16 KiB.',
  415: 'The body is not application/json, or has a Content-Encoding.',
  429: 'Too many requests; `Retry-After` says when to come back.',
  500: 'Something went wrong on the server.',
  503: 'The database cannot be reached or is busy, or too many large requests are under way; `Retry-After` says when to come back.',
} as const
export type ErrorStatus = keyof typeof ERROR_DESCRIPTIONS

/** The answers of a route: its success, and the errors that it may end in (429, 500 and 503 are everybody's). */
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

/** An answer without a body. */
export const NoContent = Type.Void({ description: 'Done; the body is empty.' })

/** The body of a route that needs none: absent, or an empty object. */
export const EmptyBody = Nullable(StrictObject({}))

/** A list's answer: everything, or one page with the cursor of the next. */
export const ListOf = <T extends TSchema>(item: T) =>
  Type.Object({
    data: Type.Array(item),
    nextCursor: Type.Optional(
      Type.Union([Type.String(), Type.Null()], {
        description: 'Present when a page was asked for; null on the last.',
      }),
    ),
  })

const limit = defineKind('Limit', (value, field, { minimum, maximum }) => {
  const number = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value
  const fits =
    Number.isInteger(number) && Number(number) >= Number(minimum) && Number(number) <= Number(maximum)
  return fits ? null : `${field} must be a whole number from ${minimum} to ${maximum}.`
})

/** Elysia's own integers forget the parameter's name when the number is out of bounds. */
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

/** The query of a list: everything, unless a page is asked for. Unknown parameters are ignored. */
export const PageQuery = t.Object(
  {
    limit: t.Optional(Limit),
    cursor: t.Optional(t.String({ maxLength: 1000, description: 'The `nextCursor` of the page before.' })),
  },
  { additionalProperties: true },
)

/** The path of one item; a malformed id is simply not found. */
export const ById = t.Object({ id: t.String({ description: 'A UUID.' }) })
