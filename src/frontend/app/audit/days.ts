import type { Entry } from '../../../core/audit/entry.ts'
import { dayOf } from './search.ts'

/** The entries of one day where the reader is. */
export type Day = Readonly<{ key: string; title: string; date: string; entries: readonly Entry[] }>

const full = new Intl.DateTimeFormat(undefined, { weekday: 'long', day: 'numeric', month: 'long' })
const withYear = new Intl.DateTimeFormat(undefined, {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
})

/** Entries by day, in their order. */
export function daysOf(entries: readonly Entry[], now = new Date()): Day[] {
  const days = Map.groupBy(entries, ({ timestamp }) => dayOf(new Date(timestamp)))
  const today = dayOf(now)
  const yesterday = dayOf(new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1))
  return [...days].map(([key, own]) => {
    const date = new Date(own[0]?.timestamp ?? 0)
    const words = (date.getFullYear() === now.getFullYear() ? full : withYear).format(date)
    if (key === today) return { key, title: 'Today', date: words, entries: own }
    return key === yesterday
      ? { key, title: 'Yesterday', date: words, entries: own }
      : { key, title: words, date: '', entries: own }
  })
}
