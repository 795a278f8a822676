import type { Member } from './queries.ts'

/** What a change of many members ended in: who was changed, and who was not, with the sentence that says why. */
export type BulkOutcome = Readonly<{
  done: readonly Member[]
  failed: readonly Readonly<{ member: Member; sentence: string }>[]
}>

/** Does something to each of these members, one call after the other: one that fails doesn't stop the others. */
export async function forEach(
  members: readonly Member[],
  act: (member: Member) => Promise<unknown>,
  onProgress: (done: number) => void,
): Promise<BulkOutcome> {
  const done: Member[] = []
  const failed: { member: Member; sentence: string }[] = []
  for (const member of members) {
    try {
      await act(member)
      done.push(member)
    } catch (error) {
      failed.push({ member, sentence: error instanceof Error ? error.message : String(error) })
    }
    onProgress(done.length + failed.length)
  }
  return { done, failed }
}
