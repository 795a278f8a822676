/** When a new token ends. */
export type Expiry = '30' | '90' | '365' | 'day' | 'never'

export const EXPIRIES: readonly { value: Expiry; label: string }[] = [
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
  { value: 'day', label: 'On a day…' },
  { value: 'never', label: 'Never' },
]

const DAY_MS = 24 * 3600 * 1000

/** The day on which a token ends; null for never, or while no day is chosen. A chosen day is its last whole one. */
export function endOf(expiry: Expiry, day: string, now = new Date()): Date | null {
  if (expiry === 'never') return null
  if (expiry !== 'day') return new Date(now.getTime() + Number(expiry) * DAY_MS)
  const end = new Date(`${day}T23:59:59`)
  return Number.isNaN(end.getTime()) ? null : end
}
