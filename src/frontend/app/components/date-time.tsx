import { useEffect, useState } from 'react'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' })
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' })
const longDay = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'long', year: 'numeric' })
const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' })
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'short' })

/** A time in the reader's locale and zone: near ones relative, others as a date; exact on hover. */
export function DateTime({ at, never = 'Never' }: { at: string | null | undefined; never?: string }) {
  const now = useNow()
  if (at === null || at === undefined) return <span className="dim">{never}</span>
  const date = new Date(at)
  return (
    <time className="num" dateTime={at} title={exact.format(date)}>
      {describe(date, now)}
    </time>
  )
}

/** "4 min ago" below a day, then "yesterday, 22:14", then "3 Mar 2025"; future times likewise. */
export function describe(date: Date, now: Date): string {
  const distance = date.getTime() - now.getTime()
  const size = Math.abs(distance)
  if (size < MINUTE) return distance <= 0 ? 'Now' : 'In a moment'
  if (size < HOUR) return relative.format(Math.trunc(distance / MINUTE), 'minute')
  if (size < DAY) return relative.format(Math.trunc(distance / HOUR), 'hour')
  const days = Math.round((startOfDay(date) - startOfDay(now)) / DAY)
  if (Math.abs(days) === 1) return `${relative.format(days, 'day')}, ${clock.format(date)}`
  if (days > 1 && days <= 14) return relative.format(days, 'day')
  return day.format(date)
}

/** A date without its time: "3 Mar 2025". */
export const shortDay = (at: string): string => day.format(new Date(at))

/** The same with the month in full. */
export const exactDay = (at: string): string => longDay.format(new Date(at))

/** The date with its time and zone, for details. */
export const exactTime = (at: string): string => exact.format(new Date(at))

const startOfDay = (date: Date): number => new Date(date).setHours(0, 0, 0, 0)

/** The time of this rendering, of which there is one each minute at least. */
function useNow(): Date {
  const [, setMinute] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setMinute((minute) => minute + 1), MINUTE)
    return () => clearInterval(timer)
  }, [])
  return new Date()
}
