type Schema = Readonly<Record<string, unknown>> & {
  type?: string
  properties?: Record<string, Schema>
  items?: Schema
  enum?: unknown[]
  anyOf?: Schema[]
  nullable?: boolean
  readOnly?: boolean
}

const ID = '4f9d5a52-6f0b-4a9e-8a3c-0d6f3b1c2e7a'

/** Examples by the name of a field; for other fields the type decides. */
const TYPICAL: Readonly<Record<string, unknown>> = {
  id: ID,
  name: 'Auditor',
  fullName: 'Ada Example',
  full_name: 'Ada Example',
  username: 'ada@example.org',
  email: 'ada@example.org',
  inviteeEmail: 'grace@example.org',
  return_to: '/apps',
  color: '#1F6FEB',
  status: 'alive',
  version: 'v1.0.0',
  envType: 'dev',
  permissions: { Apps: ['read'] },
  app_permissions: { Secrets: ['read'] },
  appPermissions: { Secrets: ['read'] },
  token: 'the-token-in-the-link',
  accessToken: 'kw_ses_…',
  password: 'correct horse battery staple',
  current_password: 'correct horse battery staple',
  new_password: 'staple battery horse correct',
  ipAddress: '203.0.113.7',
  eventType: 'role.created',
  resourceType: 'role',
}

/** An example body for a schema. */
export function exampleOf(schema: Schema, name = ''): unknown {
  if (schema.example !== undefined) return schema.example
  if (schema.enum !== undefined) return schema.enum[0]
  if (schema.anyOf !== undefined)
    return schema.anyOf[0] === undefined ? null : exampleOf(schema.anyOf[0], name)
  switch (schema.type) {
    case 'object':
      return exampleOfObject(schema, name)
    case 'array':
      return schema.items === undefined
        ? []
        : [exampleOf(schema.items, name === 'environments' && schema.items.type === 'string' ? 'id' : name)]
    case 'integer':
    case 'number':
      return typeof schema.minimum === 'number' ? Math.max(1, schema.minimum) : 1
    case 'boolean':
      return false
    case 'string':
      return exampleOfText(schema, name)
    default:
      return {}
  }
}

function exampleOfObject(schema: Schema, name: string): unknown {
  const properties = Object.entries(schema.properties ?? {}).filter(([, { readOnly }]) => readOnly !== true)
  if (name in TYPICAL && !('permissions' in (schema.properties ?? {}))) return TYPICAL[name]
  const example = Object.fromEntries(properties.map(([key, property]) => [key, exampleOf(property, key)]))
  // A created token is an access token, not the token of a link; of the two ways to set its expiry, one is enough.
  if ('token' in example && 'createdAt' in example) example.token = 'kw_pat_…'
  if ('expires_in' in example) delete example.expires_at
  return example
}

function exampleOfText(schema: Schema, name: string): string {
  if (schema.format === 'date-time') return '2026-01-31T09:30:00.000Z'
  const typical = TYPICAL[name]
  if (typeof typical === 'string') return typical
  return /(^id|Id|_id)$/.test(name) ? ID : 'text'
}
