/**
 * Who takes turns: a caller of its own, or one of those that have the share of one together. Within the share its branches
 * take turns, and within a branch its callers. With `shareOf`, it has the share of that one, as a branch of it.
 */
export type Sharer =
  | string
  | Readonly<{ responsibleId: string; branchId: string; id: string; shareOf?: string | null }>

/** The share of all who have shown no credentials that were accepted. */
export const VISITORS = 'visitors'
export type Visitors = typeof VISITORS

/** The share of a caller, the branch in it, and the caller. */
export type Path = readonly [share: string, branch: string, id: string]

/** Where a caller waits. */
export function pathOf(caller: Sharer): Path {
  if (typeof caller === 'string') return [caller, caller, caller]
  const { responsibleId, branchId, id, shareOf = null } = caller
  return shareOf === null ? [responsibleId, branchId, id] : [shareOf, responsibleId, id]
}

/** Starts what waits. */
export type Start = () => void

/** Those that wait: for each share, in each branch of it, of each caller; all in the order of their turns. */
export type Queues = Map<string, Queues | Set<Start>>

/** Adds one that waits at a path. */
export function add(queues: Queues, [key, ...rest]: readonly string[], start: Start): void {
  const found = queues.get(key as string) ?? (rest.length === 0 ? new Set<Start>() : new Map())
  queues.set(key as string, found)
  if (found instanceof Set) found.add(start)
  else add(found, rest, start)
}

/** How many wait at a path. */
export function sizeAt(queues: Queues, [key, ...rest]: readonly string[]): number {
  const found = queues.get(key as string)
  return found instanceof Map ? sizeAt(found, rest) : (found?.size ?? 0)
}

/** Takes the next one, and has the others come first the next time. */
export function take(queues: Queues, key: string): Start | undefined {
  const found = queues.get(key)
  const [next] = found?.keys() ?? []
  if (found === undefined || next === undefined) return
  queues.delete(key)
  const start = found instanceof Set ? (next as Start) : take(found, next as string)
  if (found instanceof Set) found.delete(next as Start)
  if (found.size > 0) queues.set(key, found)
  return start
}

/** Has those at a path come after all others, share by share, branch by branch and caller by caller. */
export function moveToEnd(queues: Queues, [key, ...rest]: readonly string[]): void {
  const found = queues.get(key as string)
  if (found === undefined) return
  queues.delete(key as string)
  queues.set(key as string, found)
  if (found instanceof Map) moveToEnd(found, rest)
}

/** Takes one out that waits no more. */
export function drop(queues: Queues, [key, ...rest]: readonly string[], start: Start): void {
  const found = queues.get(key as string)
  if (found instanceof Set) found.delete(start)
  else if (found !== undefined) drop(found, rest, start)
  if (found?.size === 0) queues.delete(key as string)
}
