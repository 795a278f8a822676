type Limits = { maxBytes: number; maxBytesEach: number; free: number }

/** How many bytes may be in use at once: by all together, and by each owner. */
export type Budget = ReturnType<typeof createBudget>

/**
 * Counts bytes in use. An owner's share is smaller than the whole, so that nobody takes everything, and `free` says how
 * much of one thing costs nothing, so that whoever needs little always finds room.
 */
export function createBudget({ maxBytes, maxBytesEach, free }: Limits) {
  const each = new Map<string, number>()
  let total = 0
  return {
    /** What has to be taken for a thing of so many bytes. */
    costOf: (bytes: number): number => Math.max(0, bytes - free),
    /** Whether there was room; only then are the bytes taken. */
    take: (owner: string, bytes: number): boolean => {
      const own = (each.get(owner) ?? 0) + bytes
      if (own > maxBytesEach || total + bytes > maxBytes) return false
      each.set(owner, own)
      total += bytes
      return true
    },
    /** Gives back what was taken. */
    give: (owner: string, bytes: number): void => {
      const own = (each.get(owner) ?? 0) - bytes
      if (own > 0) each.set(owner, own)
      else each.delete(owner)
      total -= bytes
    },
    inUse: (): number => total,
  }
}
