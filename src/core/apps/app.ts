import { type Static, Type } from '@sinclair/typebox'
import {
  DEFAULT_ENVIRONMENTS,
  Environment,
  EnvironmentName,
  type EnvironmentRow,
  present as presentEnvironment,
} from '../environments/environment.ts'
import type { Limit } from '../limits.ts'
import { Name, Nullable, StrictObject, Text, Timestamp } from '../schema.ts'
import type { Row } from '../tables.ts'
import { normalise, normaliseName } from '../text.ts'

/** An app as it is stored, with the environments that the caller can access. */
export type AppRow = Row<
  'apps',
  'id' | 'name' | 'description' | 'sse_enabled' | 'created_at' | 'updated_at'
> &
  Readonly<{ environments: readonly EnvironmentRow[] }>

/** How many apps there can be. */
export const APPS: Limit = {
  holder: 'An organisation',
  most: 5000,
  what: 'apps',
  remedy: 'Delete one first.',
}

/** The fields by which apps can be sorted. */
export const APP_SORTS = ['name', 'created_at'] as const

/** An app. */
export const App = Type.Object({
  id: Type.String({ description: 'Unique identifier of the app.' }),
  name: Type.String(),
  description: Nullable(Type.String()),
  sseEnabled: Type.Boolean({
    description:
      'Server-side encryption: whether the server may open the secrets of the app for a request, and so speak plaintext.',
  }),
  createdAt: Timestamp(),
  updatedAt: Timestamp(),
  environments: Type.Array(Environment, {
    description: 'The environments that the caller can access, by their index.',
  }),
})
export type App = Static<typeof App>

const Description = Nullable(Text(10_000))

/** The body that creates an app. */
export const CreateApp = StrictObject({
  name: Name(64, { description: 'Unique in the organisation, in any case.' }),
  description: Type.Optional(Description),
  environments: Type.Optional(
    Type.Array(EnvironmentName(), {
      minItems: 1,
      maxItems: 100,
      description: `Names of the app's first environments; ${DEFAULT_ENVIRONMENTS.join(', ')} when absent.`,
    }),
  ),
})
export type CreateApp = Static<typeof CreateApp>

/** The body that changes an app: at least one field; the others keep their values. */
export const UpdateApp = StrictObject(
  {
    name: Type.Optional(Name(64)),
    description: Type.Optional(Description),
    sse_enabled: Type.Optional(
      Type.Boolean({
        description:
          'Server-side encryption. To send it takes the app-level permission `EncryptionMode` update, too.',
      }),
    ),
  },
  { minProperties: 1 },
)
export type UpdateApp = Static<typeof UpdateApp>

/** The fields of an app that can be set, in the form in which they are stored. */
export type AppValues = Row<'apps', 'name' | 'description' | 'sse_enabled'>

/** A body's fields in the form in which they are stored; only those that were sent. */
export function inputValues(input: UpdateApp): Partial<AppValues> {
  return {
    ...(input.name !== undefined && { name: normaliseName(input.name) }),
    ...(input.description !== undefined && {
      description: input.description === null ? null : normalise(input.description),
    }),
    ...(input.sse_enabled !== undefined && { sse_enabled: input.sse_enabled }),
  }
}

/** The fields of an app that can be set, as they are. */
export const rowValues = ({ name, description, sse_enabled }: AppRow): AppValues => ({
  name,
  description,
  sse_enabled,
})

/** The fields of an app that can be set, as the audit log holds them. */
export const auditValues = ({ name, description, sse_enabled: sseEnabled }: AppValues) => ({
  name,
  description,
  sseEnabled,
})

/** An app as it is shown. */
export const present = (row: AppRow): App => ({
  id: row.id,
  name: row.name,
  description: row.description,
  sseEnabled: row.sse_enabled,
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
  environments: row.environments.map(presentEnvironment),
})
