import { yieldWhenDue } from '../yielding.ts'
import {
  type FindSecrets,
  loadGraph,
  type Node,
  REFERENCE_LIMITS,
  type ReferringSecret,
} from './reference-graph.ts'

/**
 * The values of secrets with their references resolved, in the same order. An inserted value is resolved once, in its own
 * environment, and never looked at again. A reference whose secret is missing, or can't be resolved completely itself (a
 * cycle, something missing on the way, beyond a limit), stays as it is written. Throws only where `find` does.
 */
export async function resolveReferences(
  secrets: readonly ReferringSecret[],
  find: FindSecrets,
): Promise<string[]> {
  const graph = await loadGraph(secrets, find)
  const room: Room = { characters: REFERENCE_LIMITS.totalCharacters }
  const complete = await completeValues(graph, room)
  const pause = yieldWhenDue()
  const values: string[] = []
  for (const { id, value } of secrets) {
    const node = graph.get(id)
    values.push(complete.get(id)?.value ?? (node && insertInto(node, complete, room)?.value) ?? value)
    await pause()
  }
  return values
}

/** A value in which every reference is resolved, and how many of them, one behind the other, that took. */
type Complete = Readonly<{ value: string; depth: number }>
type CompleteById = ReadonlyMap<string, Complete>

/** How many characters may still be made. */
type Room = { characters: number }

/**
 * The values that can be resolved completely, by id: those without references first, then those that refer to them, and so
 * on. What is in a cycle, or refers to one, is never reached.
 */
async function completeValues(graph: ReadonlyMap<string, Node>, room: Room): Promise<CompleteById> {
  const complete = new Map<string, Complete>()
  const referrers = new Map<string, Node[]>()
  const missing = new Map<Node, number>()
  const ready: Node[] = []
  const pause = yieldWhenDue()
  for (const node of graph.values()) {
    const targets = targetsOf(node)
    if (targets === null) continue
    missing.set(node, targets.size)
    if (targets.size === 0) ready.push(node)
    for (const target of targets) {
      const known = referrers.get(target)
      if (known === undefined) referrers.set(target, [node])
      else known.push(node)
    }
    await pause()
  }
  // Grows while it is walked.
  for (const node of ready) {
    const inserted = isNearEnough(node, complete) ? insertInto(node, complete, room) : null
    if (inserted === null) continue
    complete.set(node.secret.id, inserted)
    for (const referrer of referrers.get(node.secret.id) ?? []) {
      const left = (missing.get(referrer) ?? 0) - 1
      missing.set(referrer, left)
      if (left === 0) ready.push(referrer)
    }
    await pause()
  }
  return complete
}

/** The ids of the secrets that a value refers to; null where it can't be resolved completely. */
function targetsOf({ pieces, isRead, targets }: Node): ReadonlySet<string> | null {
  const ids = new Set<string>()
  for (const piece of pieces) {
    if (typeof piece === 'string') continue
    const id = targets.get(piece.written) ?? null
    if (id === null) return null
    ids.add(id)
  }
  return isRead ? ids : null
}

/** Whether all that a value refers to needed so few references that it may need one more. */
const isNearEnough = (node: Node, complete: CompleteById): boolean =>
  node.pieces.every(
    (piece) => typeof piece === 'string' || targetOf(node, piece.written, complete) !== undefined,
  )

/** A value with everything inserted that is complete; null where that would exceed a limit. */
function insertInto(node: Node, complete: CompleteById, room: Room): Complete | null {
  const texts: string[] = []
  let depth = 0
  let length = 0
  for (const piece of node.pieces) {
    const target = typeof piece === 'string' ? undefined : targetOf(node, piece.written, complete)
    const text = target?.value ?? (typeof piece === 'string' ? piece : piece.written)
    if (target !== undefined) depth = Math.max(depth, target.depth + 1)
    length += text.length
    if (length > REFERENCE_LIMITS.valueCharacters) return null
    texts.push(text)
  }
  if (depth === 0) return { value: node.secret.value, depth }
  if (length > room.characters) return null
  room.characters -= length
  return { value: texts.join(''), depth }
}

/** The complete value that a reference names; undefined where there is none that is near enough. */
function targetOf({ targets }: Node, written: string, complete: CompleteById): Complete | undefined {
  const target = complete.get(targets.get(written) ?? '')
  return target === undefined || target.depth === REFERENCE_LIMITS.depth ? undefined : target
}
