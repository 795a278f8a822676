/** Limits the turns of one share in several limiters together. */
export type JointLimit = Readonly<{
  hasRoom(share: string): boolean
  /** Counts a turn; gives what ends it. */
  begin(share: string): () => void
  /** What starts the next turn of each limiter in which some wait; false where none has room. */
  waiting: Set<() => boolean>
}>

/** Lets so many turns of one share run at once. A turn that ends makes room for one in each of the limiters in turn. */
export function createJointLimit(concurrencyEach: number): JointLimit {
  const running = new Map<string, number>()
  const waiting: JointLimit['waiting'] = new Set()
  const startNext = () => {
    for (const start of [...waiting]) {
      // Behind the other limiters, if some still wait in it.
      if (start() && waiting.delete(start)) waiting.add(start)
    }
  }
  return {
    hasRoom: (share) => (running.get(share) ?? 0) < concurrencyEach,
    begin: (share) => {
      running.set(share, (running.get(share) ?? 0) + 1)
      return () => {
        countDown(running, share)
        startNext()
      }
    },
    waiting,
  }
}

/** Takes one from a count, and forgets it at none. */
export function countDown(counts: Map<string, number>, key: string): void {
  const left = (counts.get(key) ?? 1) - 1
  if (left === 0) counts.delete(key)
  else counts.set(key, left)
}
