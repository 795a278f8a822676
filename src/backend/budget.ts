/** How many bytes may be in use at once: by all together, and by each owner. */
export type Budget = ReturnType<typeof createBudget>

/** Counts bytes in use. An owner's share is smaller than the whole, so that nobody takes everything. */
export function createBudget(maxBytes: number, maxBytesEach: number) {
  const each = new Map<string, number>()
  let total = 0
  return {
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
