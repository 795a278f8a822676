import type { RateLimit } from '../../config.ts'
import type { Queryable } from '../../platform/postgres/database.ts'

/** One window of a counter: the attempts under `key` from `start` to `end`, in milliseconds. */
export type CounterWindow = Readonly<{ key: string; rate: RateLimit; start: number; end: number }>

/** How many attempts a window has. */
export type Counted = Readonly<{ key: string; count: number }>

/** Adds one to each window. Sorted keys avoid deadlocks between attempts. */
export function addOne(db: Queryable, windows: readonly CounterWindow[]) {
  const sorted = windows.toSorted((a, b) => (a.key < b.key ? -1 : 1))
  return db<Counted[]>`
    insert into sign_in_attempts (key, window_start, expires_at, count)
    select key, window_start, expires_at, 1
    from unnest(
      ${sorted.map(({ key }) => key)}::text[], ${sorted.map(({ start }) => iso(start))}::timestamptz[],
      ${sorted.map(({ end }) => iso(end))}::timestamptz[]
    ) as attempt (key, window_start, expires_at)
    on conflict (key, window_start) do update set count = sign_in_attempts.count + 1
    returning key, count`
}

/** Adds one to a window, and where that is within its limit, to one that is a part of it: so what is refused makes no row. */
export const addOneWithin = (db: Queryable, whole: CounterWindow, part: CounterWindow) => db<Counted[]>`
  with counted as (
    insert into sign_in_attempts (key, window_start, expires_at, count)
    values (${whole.key}, ${iso(whole.start)}, ${iso(whole.end)}, 1)
    on conflict (key, window_start) do update set count = sign_in_attempts.count + 1
    returning key, count
  ), counted_part as (
    insert into sign_in_attempts (key, window_start, expires_at, count)
    select ${part.key}::text, ${iso(part.start)}::timestamptz, ${iso(part.end)}::timestamptz, 1
    from counted where count <= ${whole.rate.limit}
    on conflict (key, window_start) do update set count = sign_in_attempts.count + 1
    returning key, count
  )
  select key, count from counted union all select key, count from counted_part`

const iso = (milliseconds: number): string => new Date(milliseconds).toISOString()
