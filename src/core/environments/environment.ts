import { type Static, Type } from '@sinclair/typebox'
import { badRequest } from '../errors.ts'
import type { Limit } from '../limits.ts'
import { Nullable, StrictObject, Timestamp } from '../schema.ts'
import type { Row } from '../tables.ts'
import { nameKey } from '../text.ts'

/** How many environments there can be: a promotion wraps the keys of all of them. */
export const ENVIRONMENTS: Limit = {
  holder: 'An organisation',
  most: 10_000,
  what: 'environments',
  remedy: 'Delete one first.',
}

/** How many environments a caller without global access can have when it creates more: it can't fill the organisation alone. */
export const OWN_ENVIRONMENTS: Limit = {
  holder: 'Who creates environments without global access',
  most: 1000,
  what: 'environments',
  remedy: 'An Owner or an Admin can create more.',
}

/** What an environment is for: derived from its name at creation; a rename does not change it. */
export const EnvironmentType = Type.Union(
  [Type.Literal('dev'), Type.Literal('staging'), Type.Literal('prod'), Type.Literal('custom')],
  { description: 'What it is for: derived from its name at creation; a rename does not change it.' },
)
export type EnvironmentType = Static<typeof EnvironmentType>

type Stored = Row<'environments', 'id' | 'name' | 'env_type' | 'index' | 'created_at' | 'updated_at'>

/** An environment as it is stored; in JSON that the database made, its instants are text. */
export type EnvironmentRow = { [C in keyof Stored]: Stored[C] extends Date ? Date | string : Stored[C] }

/** The fields by which environments can be sorted. */
export const ENVIRONMENT_SORTS = ['name', 'created_at'] as const

/** An environment of an app. */
export const Environment = Type.Object({
  id: Type.String({ description: 'Unique identifier of the environment.' }),
  name: Type.String(),
  envType: EnvironmentType,
  index: Type.Integer({ description: 'Position in the app, from 0.' }),
  createdAt: Timestamp(),
  updatedAt: Timestamp(),
})
export type Environment = Static<typeof Environment>

/** What a list tells of an environment beside what it is; absent what the caller may not read. */
export type CountsRow = Readonly<{
  secret_count?: number
  secrets_changed_at?: Date | null
  people_count?: number
  machine_count?: number
}>

/** An environment in a list, with what can be told without opening it. */
export const ListedEnvironment = Type.Composite([
  Environment,
  Type.Object({
    secretCount: Type.Optional(
      Type.Integer({ description: 'Absent, as the next, for callers that may not read secrets.' }),
    ),
    secretsChangedAt: Type.Optional(
      Nullable(Type.String({ format: 'date-time', description: 'Null until a secret was changed.' })),
    ),
    peopleCount: Type.Optional(
      Type.Integer({
        description:
          'How many members can open it. Absent, as the next, for callers that may not read members.',
      }),
    ),
    machineCount: Type.Optional(Type.Integer({ description: 'How many service accounts can open it.' })),
  }),
])
export type ListedEnvironment = Static<typeof ListedEnvironment>

/** The name of an environment in a body. */
export const EnvironmentName = () =>
  Type.String({
    pattern: '^[A-Za-z0-9_-]{1,64}$',
    minLength: 1,
    maxLength: 64,
    description: '1 to 64 letters, digits, hyphens and underscores; unique in its app, in any case.',
  })

/** The body that creates an environment. */
export const CreateEnvironment = StrictObject({ name: EnvironmentName() })
export type CreateEnvironment = Static<typeof CreateEnvironment>

/** The body that changes an environment. */
export const UpdateEnvironment = StrictObject({ name: EnvironmentName() })
export type UpdateEnvironment = Static<typeof UpdateEnvironment>

/** The names of an app's environments when its creator names none. */
export const DEFAULT_ENVIRONMENTS: readonly string[] = ['Development', 'Staging', 'Production']

const TYPE_BY_NAME: ReadonlyMap<string, EnvironmentType> = new Map([
  ['development', 'dev'],
  ['staging', 'staging'],
  ['production', 'prod'],
])

/** What a new environment of this name is for: the three default names in any case, else `custom`. */
export const typeOf = (name: string): EnvironmentType => TYPE_BY_NAME.get(nameKey(name)) ?? 'custom'

/** 400 when two names are the same but for their case. */
export function requireDistinct(names: readonly string[]): void {
  const places = new Map<string, number>()
  for (const [index, name] of names.entries()) {
    const place = places.get(nameKey(name))
    if (place !== undefined) throw badRequest(`environments[${index}] repeats environments[${place}].`)
    places.set(nameKey(name), index)
  }
}

/** An environment as it is shown. */
export const present = (row: EnvironmentRow): Environment => ({
  id: row.id,
  name: row.name,
  envType: row.env_type,
  index: row.index,
  createdAt: new Date(row.created_at).toISOString(),
  updatedAt: new Date(row.updated_at).toISOString(),
})

/** An environment in a list as it is shown. */
export const presentListed = (row: EnvironmentRow & CountsRow): ListedEnvironment => ({
  ...present(row),
  ...(row.secret_count !== undefined && {
    secretCount: row.secret_count,
    secretsChangedAt: row.secrets_changed_at?.toISOString() ?? null,
  }),
  ...(row.people_count !== undefined && { peopleCount: row.people_count }),
  ...(row.machine_count !== undefined && { machineCount: row.machine_count }),
})
