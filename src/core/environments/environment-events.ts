import type { EventOf } from '../audit/events.ts'
import type { EnvironmentRow } from './environment.ts'

type Environment = Pick<EnvironmentRow, 'id' | 'name' | 'env_type'>
type App = Readonly<{ id: string; name: string }>

/** Tells of an environment that was created, alone or with its app. */
export const created = (app: App, row: Environment): EventOf<'environment.created'> => ({
  eventType: 'environment.created',
  ...about(app, row),
  newValues: { name: row.name, envType: row.env_type },
  description: `Environment "${row.name}" created in app "${app.name}".`,
})

/** Tells of an environment that has a new name. */
export const renamed = (app: App, row: Environment, name: string): EventOf<'environment.updated'> => ({
  eventType: 'environment.updated',
  ...about(app, { ...row, name }),
  oldValues: { name: row.name },
  newValues: { name },
  description: `Environment "${row.name}" of app "${app.name}" renamed to "${name}".`,
})

/** Tells of an environment that was deleted, alone or with its app. */
export const deleted = (app: App, row: Environment): EventOf<'environment.deleted'> => ({
  eventType: 'environment.deleted',
  ...about(app, row),
  oldValues: { name: row.name, envType: row.env_type },
  description: `Environment "${row.name}" of app "${app.name}" deleted.`,
})

const about = (app: App, row: Environment) => ({
  resourceId: row.id,
  resourceMetadata: { name: row.name },
  appId: app.id,
  environmentId: row.id,
})
