import { defineKind } from './schema.ts'

const instant = defineKind('Instant', (value, field) =>
  typeof value === 'string' && instantFrom(value) !== null
    ? null
    : `${field} must be a date and time with its zone, such as 2027-01-31T12:00:00Z.`,
)

/** An instant in a body or query: ISO 8601 with `Z` or an offset. */
export const Instant = (description = 'ISO 8601 with `Z` or an offset.') =>
  instant<string>({ type: 'string', format: 'date-time', description })

const INSTANT = /^(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/

/** Reads an instant; null when the text is not one, also for a day that the calendar doesn't have. */
export function instantFrom(text: string): Date | null {
  const [, local] = INSTANT.exec(text) ?? []
  const [written, parsed] = [new Date(`${local}Z`), new Date(text)]
  if (Number.isNaN(written.getTime()) || Number.isNaN(parsed.getTime())) return null
  // Postgres has no year 0, and years beyond 9999 have another format.
  if (parsed.getUTCFullYear() < 1 || parsed.getUTCFullYear() > 9999) return null
  // Date reads 30 February as 2 March, and 24:00 as the next day.
  return written.toISOString().slice(0, 10) === local?.slice(0, 10) ? parsed : null
}
