import { type Static, Type } from '@sinclair/typebox'
import { badRequest } from '../errors.ts'
import { StrictObject, Timestamp } from '../schema.ts'
import { nameKey } from '../text.ts'

/** What an environment is for; its name at its creation decides, and a new name changes nothing. */
export const EnvironmentType = Type.Union(
  [Type.Literal('dev'), Type.Literal('staging'), Type.Literal('prod'), Type.Literal('custom')],
  { description: 'What it is for: its name at its creation decides.' },
)
export type EnvironmentType = Static<typeof EnvironmentType>

/** An environment as it is stored; JSON made by the database has its instants as text. */
export type EnvironmentRow = Readonly<{
  id: string
  name: string
  env_type: EnvironmentType
  index: number
  created_at: Date | string
  updated_at: Date | string
}>

/** An environment of an app. */
export const Environment = Type.Object({
  id: Type.String({ description: 'Unique identifier of the environment.' }),
  name: Type.String(),
  envType: EnvironmentType,
  index: Type.Integer({ description: 'Its place in the app, from 0.' }),
  createdAt: Timestamp(),
  updatedAt: Timestamp(),
})
export type Environment = Static<typeof Environment>

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

/** The environments of an app that is created without any being named. */
export const DEFAULT_ENVIRONMENTS: readonly string[] = ['Development', 'Staging', 'Production']

const TYPE_BY_NAME: ReadonlyMap<string, EnvironmentType> = new Map([
  ['development', 'dev'],
  ['staging', 'staging'],
  ['production', 'prod'],
])

/** What a new environment of this name is for: the three default names in any case, else `custom`. */
export const typeOf = (name: string): EnvironmentType => TYPE_BY_NAME.get(nameKey(name)) ?? 'custom'

/** 400 when a name stands in the list twice, in whatever case. */
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
