const DAY_MS = 86_400_000
/** Tokens that end sooner are marked. */
const SOON_DAYS = 14

type Ending = Readonly<{ expiresAt: string | null }>

/** Whether a token has ended. */
export const isExpired = ({ expiresAt }: Ending, now = Date.now()): boolean =>
  expiresAt !== null && Date.parse(expiresAt) <= now

/** Whether a token ends within two weeks. */
export const endsSoon = (token: Ending, now = Date.now()): boolean =>
  token.expiresAt !== null && !isExpired(token, now) && Date.parse(token.expiresAt) - now < SOON_DAYS * DAY_MS

/** When a new token ends. */
export type Ends = '30' | '90' | '365' | 'day' | 'never'

export const ENDS: readonly Readonly<{ value: Ends; label: string }>[] = [
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
  { value: 'day', label: 'On a day…' },
  { value: 'never', label: 'Never' },
]

/** When a token ends: null for never, undefined where the day is still to be chosen. A day is meant to its end. */
export function endOf(ends: Ends, day: string, now = Date.now()): Date | null | undefined {
  if (ends === 'never') return null
  if (ends !== 'day') return new Date(now + Number(ends) * DAY_MS)
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number)
  return day === '' ? undefined : new Date(year, month - 1, date, 23, 59, 59)
}
