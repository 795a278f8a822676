/** What the audit log is filtered by, as it stands in the address. `entry` is the one that is open. */
export type AuditSearch = {
  from?: string
  to?: string
  event?: string
  actor?: string
  app?: string
  environment?: string
  outcome?: 'refused' | 'done'
  /** The id of what the entries are about: a role, an invite, a token. */
  thing?: string
  entry?: string
}

/** The filters in an address; what has another form is left out. */
export function auditSearch(search: Record<string, unknown>): AuditSearch {
  const text = (key: string) =>
    typeof search[key] === 'string' && search[key] !== '' ? { [key]: search[key] } : {}
  return {
    ...day(search, 'from'),
    ...day(search, 'to'),
    ...text('event'),
    ...text('actor'),
    ...text('app'),
    ...text('environment'),
    ...(search.outcome === 'refused' || search.outcome === 'done' ? { outcome: search.outcome } : {}),
    ...text('thing'),
    ...text('entry'),
  }
}

const day = (search: Record<string, unknown>, key: 'from' | 'to') =>
  typeof search[key] === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(search[key]) && startOf(search[key]) !== null
    ? { [key]: search[key] }
    : {}

/** The filters as the API takes them. Days are whole days where the reader is: `to` includes its day. */
export function auditQuery(search: AuditSearch): Record<string, string> {
  const from = search.from === undefined ? null : startOf(search.from)
  const to = search.to === undefined ? null : startOf(search.to, 1)
  const fields = {
    from: from?.toISOString(),
    to: to?.toISOString(),
    event_type: search.event,
    actor_id: search.actor,
    app_id: search.app,
    environment_id: search.environment,
    outcome: search.outcome,
    resource_id: search.thing,
  }
  return Object.fromEntries(
    Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined),
  )
}

/** The first moment of a day `YYYY-MM-DD` in the reader's zone, or of one some days later; null for no such day. */
export function startOf(day: string, daysLater = 0): Date | null {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number)
  const start = new Date(year, month - 1, date)
  if (start.getMonth() !== month - 1 || start.getDate() !== date) return null
  return new Date(year, month - 1, date + daysLater)
}

/** A day as it stands in the address. */
export const dayOf = (date: Date): string =>
  [date.getFullYear(), date.getMonth() + 1, date.getDate()]
    .map((part) => String(part).padStart(2, '0'))
    .join('-')

/** How an entry is named in the address: with its time, so that it is found without loading all that came after. */
export const entryAddress = ({ id, timestamp }: { id: string; timestamp: string }): string =>
  `${id}@${timestamp}`

/** The id and the time in an entry's address; the time is null where there is none. */
export function entryIn(address: string | undefined): { id: string; timestamp: string | null } | null {
  if (address === undefined) return null
  const [id = '', timestamp = ''] = address.split('@')
  return { id, timestamp: Number.isNaN(Date.parse(timestamp)) ? null : timestamp }
}
