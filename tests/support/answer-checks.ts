import type { TSchema } from '@sinclair/typebox'
import type { App } from '../../src/backend/app.ts'
import { routePathOf } from '../../src/backend/http/paths.ts'
import { EVENTS } from '../../src/core/audit/events.ts'
import type { Database } from '../../src/platform/postgres/database.ts'
import type { Answer } from './api.ts'

/** A request as a test sends it; `isRecorded` is false where it must leave no entry in the audit log. */
export type Asked = { method: string; path: string; isRecorded: boolean }

/** Routes whose success writes no entry, each with its reason. */
export const WITHOUT_ENTRY: Readonly<Record<string, string>> = {
  'POST /service/auth/session': 'it is another bearer of a session whose sign-in has an entry',
  'POST /service/auth/passkeys/options': 'it only asks',
  'POST /service/auth/passkeys/registration': 'it only asks: adding the passkey has an entry',
  'POST /service/auth/totp': 'it changes nothing: confirming the app does',
  'POST /service/auth/invites/lookup': 'it only reads',
  'POST /service/auth/password/forgot':
    'it changes nothing: the link that is mailed does when it is followed',
  'POST /service/auth/sso/:provider/authorize': 'it changes nothing: the sign-in does when it comes back',
  'POST /service/auth/sso/:provider/link': 'it changes nothing: the link is made when the browser comes back',
  'POST /service/auth/email/resend': 'it changes nothing: the link that is mailed does when it is followed',
}

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS']

/**
 * What holds for every answer, whatever the test that asked looks at: its status is one that the route declares, its
 * body has no field that the route's schema lacks, and what was changed stands in the audit log, in the fields that the
 * event has. Throws where it doesn't.
 */
export function answerChecks(app: App, db: Database): (asked: Asked, answer: Answer) => Promise<void> {
  const routeOf = routeFinder(app)
  return async (asked, answer) => {
    const route = routeOf(asked)
    if (route === undefined) return
    requireDeclared(route, answer)
    requireKnownFields(route, answer)
    await requireEntry(db, route, asked, answer)
  }
}

type Route = { name: string; method: string; responses: Readonly<Record<string, TSchema>> }

/** Finds the route that answers a request; undefined where none does and the answer is the front's own. */
function routeFinder(app: App) {
  const table = app.routes
    .filter(({ path }) => !path.startsWith('/swagger'))
    .map(({ method, path, hooks }) => {
      const bare = withoutSlash(path)
      return {
        name: `${method} ${bare}`,
        method,
        bare,
        pattern: new RegExp(`^${bare.replace(/:[a-z_]+/g, '[^/]+')}$`),
        responses: (hooks.response ?? {}) as Record<string, TSchema>,
      }
    })
  return ({ method, path }: Asked): Route | undefined => {
    const bare = withoutSlash(routePathOf(path.replace(/[?#].*$/, '')))
    const literal = table.filter((route) => route.bare === bare)
    const there = literal.length > 0 ? literal : table.filter((route) => route.pattern.test(bare))
    return there.find((route) => route.method === (method === 'HEAD' ? 'GET' : method))
  }
}

const withoutSlash = (path: string): string => path.replace(/(.)\/$/, '$1')

function requireDeclared({ name, responses }: Route, { status, body }: Answer): void {
  const statuses = Object.keys(responses)
  const isAboutHost = status === 400 && String(body?.error).startsWith('This host name is not allowed')
  if (isAboutHost || statuses.includes(String(status))) return
  throw new Error(
    `${name} answered ${status}, which it doesn't declare: add it to the route's \`responses(…)\`.` +
      ` It declares ${statuses.join(', ')}.`,
  )
}

/** The schemas of responses let unknown fields pass: nobody would notice what goes out by mistake. */
function requireKnownFields({ name, responses }: Route, { status, body }: Answer): void {
  const schema = responses[String(status)]
  const unknown = schema === undefined ? null : unknownField(schema, body)
  if (unknown !== null)
    throw new Error(`${name} answered ${status} with the field ${unknown}, which its schema lacks.`)
}

function unknownField(schema: TSchema, value: unknown, path = ''): string | null {
  if (schema.anyOf !== undefined) {
    const options = (schema.anyOf as TSchema[]).filter(({ type }) => type !== 'null')
    const found = options.map((option) => unknownField(option, value, path))
    return found.includes(null) ? null : (found[0] ?? null)
  }
  if (Array.isArray(value))
    return firstOf(value.entries(), (item) => unknownField(schema.items, item, `${path}[]`))
  if (typeof value !== 'object' || value === null || schema.properties === undefined) return null
  return firstOf(Object.entries(value), (item, name) => {
    const property = (schema.properties as Record<string, TSchema>)[name]
    return property === undefined ? `${path}.${name}` : unknownField(property, item, `${path}.${name}`)
  })
}

function firstOf<Key>(
  entries: Iterable<[Key, unknown]>,
  find: (item: unknown, key: Key) => string | null,
): string | null {
  for (const [key, item] of entries) {
    const found = find(item, key)
    if (found !== null) return found
  }
  return null
}

/** The answer's request id finds its entry, so that requests at the same time are told apart. */
async function requireEntry(
  db: Database,
  { name, method }: Route,
  { isRecorded }: Asked,
  { status, headers }: Answer,
): Promise<void> {
  if (status >= 300 || SAFE_METHODS.includes(method)) return
  const entries = await db<StoredEntry[]>`
    select event_type, resource_metadata, old_values, new_values from audit_entries
    where request_id = ${headers.get('x-request-id')}`
  const [deployment] = await db<{ has_log: boolean }[]>`
    select organisation_id is not null as has_log from deployment`
  for (const entry of entries) requireEventFields(name, entry)
  const hasEntry = entries.length > 0
  const mustHaveEntry = isRecorded && !(name in WITHOUT_ENTRY) && deployment?.has_log === true
  if (hasEntry === mustHaveEntry) return
  throw new Error(
    mustHaveEntry
      ? `${name} answered ${status} and left no entry in the audit log. If this request changes nothing, send it` +
          ' with `client.unrecorded`; if the route never does, name it in WITHOUT_ENTRY with the reason.'
      : `${name} answered ${status} and left an entry in the audit log, although it should leave none.`,
  )
}

type Values = Record<string, unknown> | null
type StoredEntry = { event_type: string; resource_metadata: Values; old_values: Values; new_values: Values }

type ListedFields = Readonly<
  Record<'resource', string> & Partial<Record<'metadata' | 'old' | 'new', readonly string[]>>
>

/** The compiler does not see fields too many that come from a variable. */
function requireEventFields(name: string, entry: StoredEntry): void {
  const event = EVENTS[entry.event_type as keyof typeof EVENTS] as ListedFields | undefined
  if (event === undefined) return
  const stored = [entry.resource_metadata, entry.old_values, entry.new_values].map((one) =>
    Object.keys(one ?? {}),
  )
  const listed = [event.metadata, event.old, event.new].map((fields) => [...(fields ?? [])])
  const same = (a: string[] = [], b: string[] = []) => a.toSorted().join() === b.toSorted().join()
  if (stored.every((fields, index) => same(fields, listed[index]))) return
  throw new Error(
    `${name} recorded ${entry.event_type} with the fields ${JSON.stringify(stored)}, and EVENTS lists ${JSON.stringify(listed)}.`,
  )
}
