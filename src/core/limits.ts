import { limitReached } from './errors.ts'

/** How many of something a holder can have, and what to do when there are so many. */
export type Limit = Readonly<{ holder: string; most: number; what: string; remedy: string }>

/** 409 where there is no room for another one beside the `count` that there are. */
export function requireRoom({ holder, most, what, remedy }: Limit, count: number): void {
  if (count >= most) throw limitReached(holder, most, what, remedy)
}
