import type { EventOf } from '../audit/events.ts'
import type { Row } from '../tables.ts'

type Environment = Row<'environments', 'id' | 'name' | 'env_type'>
type App = Row<'apps', 'id' | 'name'>

/** An environment was created, alone or with its app. */
export const created = (app: App, row: Environment): EventOf<'environment.created'> => ({
  eventType: 'environment.created',
  ...eventAbout(app, row),
  newValues: { name: row.name, envType: row.env_type },
  description: `Environment "${row.name}" created in app "${app.name}".`,
})

/** An environment was renamed. */
export const renamed = (app: App, row: Environment, name: string): EventOf<'environment.updated'> => ({
  eventType: 'environment.updated',
  ...eventAbout(app, { ...row, name }),
  oldValues: { name: row.name },
  newValues: { name },
  description: `Environment "${row.name}" of app "${app.name}" renamed to "${name}".`,
})

/** An environment was deleted, alone or with its app. */
export const deleted = (app: App, row: Environment): EventOf<'environment.deleted'> => ({
  eventType: 'environment.deleted',
  ...eventAbout(app, row),
  oldValues: { name: row.name, envType: row.env_type },
  description: `Environment "${row.name}" of app "${app.name}" deleted.`,
})

const eventAbout = (app: App, row: Environment) => ({
  resourceId: row.id,
  resourceMetadata: { name: row.name },
  appId: app.id,
  environmentId: row.id,
})
