import { type DeclaredRefusal, REFUSAL } from '../../src/backend/http/refusals.ts'
import { EVENTS } from '../../src/core/audit/events.ts'
import type { Route } from './permission-table.ts'

/** What a route declares a refusal to be; undefined when it declares none. */
export const refusalDeclaredBy = ({ hooks }: Route): DeclaredRefusal | undefined =>
  hooks.detail?.[REFUSAL] as DeclaredRefusal | undefined

/** The table of every event and its fields, in Markdown. */
export function eventsTable(): string {
  const rows = Object.entries(EVENTS).map(
    ([event, definition]) =>
      `| \`${event}\` | ${code(definition.resource)} | ${definition.meaning} | ${fieldsOf(definition)} |`,
  )
  return ['| Event | Resource | When | Fields |', '|---|---|---|---|', ...rows].join('\n')
}

/** The table of every refusal and the requests that it is a refusal of, in Markdown. */
export function refusalsTable(routes: readonly Route[]): string {
  const byRefusal = new Map<string, string[]>()
  for (const route of routes) {
    const declared = refusalDeclaredBy(route)
    if (declared === undefined) continue
    const row = `${code(declared.eventType)} | ${code(declared.target)}`
    const request = `${route.method} ${route.path.replace(/(.)\/$/, '$1')}`
    byRefusal.set(row, [...(byRefusal.get(row) ?? []), request])
  }
  const rows = [...byRefusal].map(([row, requests]) => `| ${row} | ${requests.sort().map(code).join(', ')} |`)
  return ['| Event | Resource | Refused requests |', '|---|---|---|', ...rows.sort()].join('\n')
}

type Definition = Readonly<{
  meaning: string
  metadata?: readonly string[]
  old?: readonly string[]
  new?: readonly string[]
}>

function fieldsOf(definition: Definition): string {
  const listed = (name: string, fields: readonly string[] | undefined) =>
    fields === undefined ? [] : [`${code(name)}: ${fields.map(code).join(', ')}`]
  return [
    ...listed('resourceMetadata', definition.metadata),
    ...listed('oldValues', definition.old),
    ...listed('newValues', definition.new),
  ].join('; ')
}

const code = (text: string): string => `\`${text}\``
