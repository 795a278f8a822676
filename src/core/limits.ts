import { limitReached } from './errors.ts'

/** How many of something a holder can have, and what to do at the limit. */
export type Limit = Readonly<{ holder: string; most: number; what: string; remedy: string }>

/** 409 when `count`, the present number, is at the limit. */
export function requireRoom({ holder, most, what, remedy }: Limit, count: number): void {
  if (count >= most) throw limitReached(holder, most, what, remedy)
}
