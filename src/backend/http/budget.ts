type Limits = { maxBytes: number; maxBytesEach: number; free: number }

/** Limits the bytes in use at once: of all owners together, and of each. */
export type Budget = ReturnType<typeof createBudget>

/**
 * Counts bytes in use. One owner can't use up the whole budget, and the first `free` bytes of a body are not counted, so
 * that there is always room for small ones.
 */
export function createBudget({ maxBytes, maxBytesEach, free }: Limits) {
  const each = new Map<string, number>()
  let total = 0
  return {
    /** The bytes that are counted for a body of this size. */
    costOf: (bytes: number): number => Math.max(0, bytes - free),
    /** Takes the bytes if there is room; false otherwise. */
    take: (owner: string, bytes: number): boolean => {
      const own = (each.get(owner) ?? 0) + bytes
      if (own > maxBytesEach || total + bytes > maxBytes) return false
      each.set(owner, own)
      total += bytes
      return true
    },
    /** Takes bytes beyond an owner's part, if it has nothing else in use and there is room. */
    takeAlone: (owner: string, bytes: number): boolean => {
      if (each.has(owner) || total + bytes > maxBytes) return false
      each.set(owner, bytes)
      total += bytes
      return true
    },
    /** Gives bytes back. */
    give: (owner: string, bytes: number): void => {
      const own = (each.get(owner) ?? 0) - bytes
      if (own > 0) each.set(owner, own)
      else each.delete(owner)
      total -= bytes
    },
    inUse: (): number => total,
  }
}

/** The part of a budget that one body has taken. */
export type Share = ReturnType<typeof createShare>

/** Takes the bytes of one body from a budget; `moveTo` gives them back and takes them from another. */
export function createShare(first: Budget, firstOwner: () => string) {
  let [budget, owner, taken, bytes]: [Budget, string | null, number, number] = [first, null, 0, 0]
  let isOver = false
  const take = () => {
    const cost = budget.costOf(bytes)
    if (cost === taken || isOver) return true
    owner ??= firstOwner()
    if (!budget.take(owner, cost - taken)) return false
    taken = cost
    return true
  }
  const giveBack = () => {
    if (owner !== null) budget.give(owner, taken)
    taken = 0
  }
  return {
    /** Whether there is room for so many bytes more. */
    grow: (more: number): boolean => {
      bytes += more
      return take()
    },
    /** Whether there is room in another budget, too. */
    moveTo: (next: Budget, nextOwner: string): boolean => {
      giveBack()
      ;[budget, owner] = [next, nextOwner]
      return take()
    },
    end: (): void => {
      giveBack()
      isOver = true
    },
  }
}
