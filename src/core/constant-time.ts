import { timingSafeEqual } from 'node:crypto'

/** Whether two texts are the same, in a time that does not depend on where they differ. Their lengths are no secret. */
export function isSameText(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
