import type { Settings } from './settings.ts'

const MOST_DAYS = 36_500

/** How many days audit entries are kept; null for ever. */
export function readAuditRetentionDays(settings: Settings): number | null {
  const name = 'AUDIT_RETENTION_DAYS'
  const value = settings.text(name)?.toLowerCase() ?? 'off'
  if (value === 'off') return null
  const days = /^[0-9]{1,5}$/.test(value) ? Number(value) : Number.NaN
  if (days >= 1 && days <= MOST_DAYS) return days
  settings.reject(name, `a whole number of days from 1 to ${MOST_DAYS}, or off`)
  return null
}
