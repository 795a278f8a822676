/** Does one part of some work, in a transaction of its own; tells whether there can be more. */
export type Part = () => Promise<boolean>

/** The job of a run may take five minutes, and the last parts take some of them. */
const LONGEST_MILLISECONDS = 240_000

/**
 * Does several kinds of work in parts, by turns, until nothing is left or four minutes are over; the next run does the rest.
 * A kind that fails has no more turns, and the others go on: the first error is thrown at the end.
 */
export async function doInParts(kinds: readonly Part[]): Promise<void> {
  const end = performance.now() + LONGEST_MILLISECONDS
  const errors: unknown[] = []
  let unfinished = kinds
  while (unfinished.length > 0 && performance.now() < end) {
    const more: Part[] = []
    for (const part of unfinished) {
      try {
        if (await part()) more.push(part)
      } catch (error) {
        errors.push(error)
      }
    }
    unfinished = more
  }
  if (errors.length > 0) throw errors[0]
}
