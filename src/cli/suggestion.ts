/** ` Did you mean …?` with the known word that is nearest to a mistyped one; empty when none is near. */
export function suggestion(word: string, known: readonly string[]): string {
  const near = known
    .map((one) => ({ one, distance: distance(word.slice(0, MAX_LENGTH), one) }))
    .filter(({ one, distance }) => distance <= Math.max(1, Math.floor(one.length / 3)))
    .sort((a, b) => a.distance - b.distance)[0]
  return near === undefined ? '' : ` Did you mean ${near.one}?`
}

const MAX_LENGTH = 40

/** How many letters must be added, left out or replaced; two that changed places count as one (Damerau). */
function distance(a: string, b: string): number {
  const rows: number[][] = Array.from({ length: a.length + 1 }, (_, i) => [i])
  const at = (i: number, j: number): number => rows[i]?.[j] ?? Number.POSITIVE_INFINITY
  for (let j = 1; j <= b.length; j++) (rows[0] as number[])[j] = j
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const replaced = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swapped =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
          ? at(i - 2, j - 2) + 1
          : Number.POSITIVE_INFINITY
      ;(rows[i] as number[])[j] = Math.min(replaced, swapped, at(i - 1, j) + 1, at(i, j - 1) + 1)
    }
  }
  return at(a.length, b.length)
}
