import type { Entry } from '../../../core/audit/entry.ts'
import { type NameOf, plainText } from './facts.ts'
import { actorOf, isRefused, sentenceOf } from './sentences.ts'

const COLUMNS: readonly [string, (entry: Entry, nameOf: NameOf) => string | number | null][] = [
  ['timestamp', (entry) => entry.timestamp],
  ['actor', (entry) => actorOf(entry)],
  ['sentence', (entry, nameOf) => `${actorOf(entry)} ${plainText(sentenceOf(entry, nameOf))}`],
  ['outcome', (entry) => (isRefused(entry) ? 'refused' : 'done')],
  ['count', (entry) => entry.count],
  ['eventType', (entry) => entry.eventType],
  ['actorType', (entry) => entry.actorType],
  ['actorId', (entry) => entry.actorId],
  ['resourceType', (entry) => entry.resourceType],
  ['resourceId', (entry) => entry.resourceId],
  ['description', (entry) => entry.description],
  ['oldValues', (entry) => (entry.oldValues === null ? null : JSON.stringify(entry.oldValues))],
  ['newValues', (entry) => (entry.newValues === null ? null : JSON.stringify(entry.newValues))],
  ['ipAddress', (entry) => entry.ipAddress],
  ['userAgent', (entry) => entry.userAgent],
  ['requestId', (entry) => entry.requestId],
  ['id', (entry) => entry.id],
]

/** Entries as CSV, with a line of column names. */
export const csvOf = (entries: readonly Entry[], nameOf: NameOf): string =>
  [
    COLUMNS.map(([name]) => name),
    ...entries.map((entry) => COLUMNS.map(([, value]) => csvField(value(entry, nameOf)))),
  ]
    .map((fields) => `${fields.join(',')}\r\n`)
    .join('')

/**
 * A field of a CSV file. Spreadsheets run what begins like a formula: an apostrophe goes before it, also where a cell begins
 * for those that separate by semicolons or tabs, and take quotes in the middle of theirs for text.
 */
export function csvField(value: string | number | null): string {
  if (value === null) return ''
  const text =
    typeof value === 'string'
      ? value.replace(/(^|[;\t\r\n]"*)(?=[=+\-@])|^(?=[\t\r])/g, "$1'")
      : String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
