import { limitReached } from './errors.ts'

/** How many of something a holder can have, and what to do at the limit. */
export type Limit = Readonly<{ holder: string; most: number; what: string; remedy: string }>

/** 409 when `added` more than `count`, the present number, would be beyond the limit. */
export function requireRoom({ holder, most, what, remedy }: Limit, count: number, added = 1): void {
  if (count + added > most) throw limitReached(holder, most, what, remedy)
}
