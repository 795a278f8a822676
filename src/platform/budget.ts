import { pathOf, type Sharer } from './turn-queues.ts'

type Limits = { maxBytes: number; maxBytesEach: number }

/** Limits the bytes in use at once: of all owners together, of each, and of those that have one share. */
export type Budget = ReturnType<typeof createBudget>

/**
 * Counts bytes in use. One branch of a share can't use up what all of the share have, which is half as much again, and no
 * share more than it leaves to others: so however many use much, there is room for those who use little.
 */
export function createBudget({ maxBytes, maxBytesEach }: Limits) {
  const branches = new Map<string, number>()
  const shared = new Map<string, number>()
  let total = 0
  const add = (owner: Sharer, bytes: number) => {
    total += bytes
    addTo(shared, shareOf(owner), bytes)
    addTo(branches, branchOf(owner), bytes)
  }
  const inShareOf = (owner: Sharer) => shared.get(shareOf(owner)) ?? 0
  const missingFor = (owner: Sharer, bytes: number): number => {
    const inShare = inShareOf(owner) + bytes
    const inBranch = (branches.get(branchOf(owner)) ?? 0) + bytes
    if (inBranch > maxBytesEach || inShare > 1.5 * maxBytesEach) return Infinity
    return Math.max(0, inShare + bytes + total - maxBytes)
  }
  return {
    /** How many bytes others must give back before the owner may take so many; infinite where it has too much itself. */
    missingFor,
    /** The bytes in use by all that share with the owner. */
    inShareOf,
    /** Takes the bytes if there is room; false otherwise. */
    take: (owner: Sharer, bytes: number): boolean => {
      if (missingFor(owner, bytes) > 0) return false
      add(owner, bytes)
      return true
    },
    /** Takes bytes beyond an owner's part, if nothing else of its share is in use and there is room. */
    takeAlone: (owner: Sharer, bytes: number): boolean => {
      if (shared.has(shareOf(owner)) || total + bytes > maxBytes) return false
      add(owner, bytes)
      return true
    },
    /** Takes the bytes whether there is room or not. */
    takeAnyway: add,
    /** Whether the owner has all that it may have. */
    isUsedUp: (owner: Sharer): boolean =>
      (branches.get(branchOf(owner)) ?? 0) >= maxBytesEach || inShareOf(owner) >= 1.5 * maxBytesEach,
    /** Gives bytes back. */
    give: (owner: Sharer, bytes: number): void => add(owner, -bytes),
    inUse: (): number => total,
  }
}

const shareOf = (owner: Sharer): string => pathOf(owner)[0]
/** With the service accounts of its making, one has as much as another one. */
const branchOf = (owner: Sharer): string => pathOf(owner)[1]

function addTo(sums: Map<string, number>, key: string, bytes: number): void {
  const sum = (sums.get(key) ?? 0) + bytes
  if (sum > 0) sums.set(key, sum)
  else sums.delete(key)
}

/** What one body has taken, of one budget at a time. */
export function createReservation() {
  let held: { budget: Budget; owner: Sharer; bytes: number } | null = null
  let isOver = false
  const shrink = (bytes: number) => {
    if (held === null) return
    held.budget.give(held.owner, held.bytes - bytes)
    held = bytes === 0 ? null : { ...held, bytes }
  }
  return {
    /** Takes the bytes from a budget, and gives back what was taken before; false where there is no room. */
    take: (budget: Budget, owner: Sharer, bytes: number): boolean => {
      shrink(0)
      if (bytes === 0 || isOver) return true
      if (!budget.take(owner, bytes)) return false
      held = { budget, owner, bytes }
      return true
    },
    /** Gives back all but so many of the bytes. */
    shrink,
    end: (): void => {
      shrink(0)
      isOver = true
    },
  }
}
