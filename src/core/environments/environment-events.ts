import type { AuditEvent } from '../audit/audit.ts'
import type { EnvironmentRow } from './environment.ts'

type Environment = Pick<EnvironmentRow, 'id' | 'name' | 'env_type'>
type App = Readonly<{ id: string; name: string }>

/** Tells of an environment that was created, alone or with its app. */
export const created = (app: App, row: Environment): AuditEvent => ({
  ...about('created', app, row),
  newValues: { name: row.name, envType: row.env_type },
  description: `Environment "${row.name}" created in app "${app.name}".`,
})

/** Tells of an environment that has a new name. */
export const renamed = (app: App, row: Environment, name: string): AuditEvent => ({
  ...about('updated', app, { ...row, name }),
  oldValues: { name: row.name },
  newValues: { name },
  description: `Environment "${row.name}" of app "${app.name}" renamed to "${name}".`,
})

/** Tells of an environment that was deleted, alone or with its app. */
export const deleted = (app: App, row: Environment): AuditEvent => ({
  ...about('deleted', app, row),
  oldValues: { name: row.name, envType: row.env_type },
  description: `Environment "${row.name}" of app "${app.name}" deleted.`,
})

const about = (verb: string, app: App, row: Environment): Omit<AuditEvent, 'description'> => ({
  eventType: `environment.${verb}`,
  resourceType: 'environment',
  resourceId: row.id,
  resourceMetadata: { name: row.name },
  appId: app.id,
  environmentId: row.id,
})
