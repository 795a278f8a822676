import { quote } from '../errors.ts'
import {
  type Action,
  APP_CLASSES,
  actionsOf,
  classesOf,
  type Level,
  ORGANISATION_CLASSES,
  type Permissions,
} from '../permissions.ts'
import { defineKind } from '../schema.ts'

/** Permissions in a body: with `app_permissions` or its alias `appPermissions`, not both. */
export type PermissionsInput = {
  permissions: Record<string, Action[]>
  app_permissions?: Record<string, Action[]>
  appPermissions?: Record<string, Action[]>
}

const kind = defineKind('Permissions', (value, field) => {
  if (!isObject(value)) return `${field} must be an object with the keys permissions and app_permissions.`
  return wrongKeys(value, field) ?? wrongClasses(value, field)
})

/** The schema of permissions in a body. */
export const PermissionsInput = () =>
  kind<PermissionsInput>({
    type: 'object',
    description: 'Exactly two keys; `appPermissions` is accepted in place of `app_permissions`.',
    required: ['permissions', 'app_permissions'],
    additionalProperties: false,
    properties: {
      permissions: classes('permissions', ORGANISATION_CLASSES),
      app_permissions: classes('appPermissions', APP_CLASSES),
    },
  })

/** Permissions as they are stored. */
export const permissionsFrom = (input: PermissionsInput): Permissions => ({
  permissions: input.permissions,
  appPermissions: input.app_permissions ?? input.appPermissions ?? {},
})

function wrongKeys(value: Record<string, unknown>, field: string): string | null {
  for (const key of Object.keys(value)) {
    if (key === 'global_access' || key === 'globalAccess') {
      return `${field} must not contain ${key}: it is read-only and cannot be set on custom roles.`
    }
    if (key !== 'permissions' && key !== 'app_permissions' && key !== 'appPermissions') {
      return `${field} must have exactly the keys permissions and app_permissions; ${quote(key)} is unknown.`
    }
  }
  if ('app_permissions' in value && 'appPermissions' in value) {
    return `${field} must have either app_permissions or appPermissions, not both.`
  }
  const complete = 'permissions' in value && ('app_permissions' in value || 'appPermissions' in value)
  return complete ? null : `${field} must have exactly the keys permissions and app_permissions.`
}

function wrongClasses(value: Record<string, unknown>, field: string): string | null {
  for (const [key, classes] of Object.entries(value)) {
    const level: Level = key === 'permissions' ? 'permissions' : 'appPermissions'
    if (!isObject(classes)) return `${field}.${key} must be an object of resource classes.`
    for (const [resourceClass, actions] of Object.entries(classes)) {
      if (!classesOf(level).includes(resourceClass)) {
        return `${field}.${key} has the unknown resource class ${quote(resourceClass)}; valid are ${classesOf(level).join(', ')}.`
      }
      const wrong = wrongActions(actions, actionsOf(level, resourceClass), `${field}.${key}.${resourceClass}`)
      if (wrong !== null) return wrong
    }
  }
  return null
}

function wrongActions(actions: unknown, valid: readonly Action[], field: string): string | null {
  if (!Array.isArray(actions)) return `${field} must be an array of actions: ${valid.join(', ')}.`
  for (const [index, action] of actions.entries()) {
    if (!valid.includes(action)) {
      const shown = typeof action === 'string' ? ` ${quote(action)}` : ''
      return `${field} has the unknown action${shown}; valid: ${valid.join(', ')}.`
    }
    if (actions.indexOf(action) !== index) return `${field} lists ${action} twice.`
  }
  return null
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const classes = (level: Level, names: readonly string[]) => ({
  type: 'object',
  additionalProperties: false,
  properties: Object.fromEntries(
    names.map((name) => [
      name,
      {
        type: 'array',
        uniqueItems: true,
        maxItems: actionsOf(level, name).length,
        items: { type: 'string', enum: [...actionsOf(level, name)] },
      },
    ]),
  ),
})
