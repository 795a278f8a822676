import { yieldWhenDue } from '../yielding.ts'
import { mayRefer, type Piece, parseReferences, type Reference } from './reference-syntax.ts'

/** A secret whose value may have references; `id` tells it from every other, in whatever environment. */
export type ReferringSecret = Readonly<{ id: string; environmentId: string; value: string }>

/** A reference, and the environment of the value that it stands in. */
export type Wanted = Readonly<{ environmentId: string; reference: Reference }>

/** Finds what references name: the secret of each, in the same order, or null where there is none for the caller. */
export type FindSecrets = (wanted: readonly Wanted[]) => Promise<readonly (ReferringSecret | null)[]>

/** How much work references may be for one answer. What would exceed it stays as it is written. */
export const REFERENCE_LIMITS = {
  /** How many references, one behind the other, lead to a value. */
  depth: 25,
  /** References that are read. */
  references: 50_000,
  /** Different references that are looked up. */
  lookUps: 10_000,
  /** Characters of one value with everything inserted. */
  valueCharacters: 256 * 1024,
  /** Characters of all values into which something was inserted. */
  totalCharacters: 4 * 1024 * 1024,
} as const

/** A secret with the pieces of its value. */
export type Node = Readonly<{
  secret: ReferringSecret
  pieces: readonly Piece[]
  /** Whether all references in the value were read. */
  isRead: boolean
  /** The id of the secret that a reference names, by the text of the reference; null or absent for none. */
  targets: ReadonlyMap<string, string | null>
}>

/**
 * The secrets by id, with what they refer to, what that refers to, and so on: one call of `find` for each step away. What
 * a reference names depends on its text and its environment alone, so each is looked up once.
 */
export async function loadGraph(
  secrets: readonly ReferringSecret[],
  find: FindSecrets,
): Promise<ReadonlyMap<string, Node>> {
  const graph = new Map<string, Node>()
  const addTo = nodeReader(graph)
  const pause = yieldWhenDue()
  let added = secrets
  for (let step = 0; added.length > 0; step++) {
    const wanted: LookUp[] = []
    for (const secret of added) {
      if (!graph.has(secret.id)) addTo(wanted, secret)
      await pause()
    }
    if (wanted.length === 0 || step === REFERENCE_LIMITS.depth) break
    const found = await find(wanted)
    for (const [index, { targets, written }] of wanted.entries()) {
      targets.set(written, found[index]?.id ?? null)
    }
    added = found.filter((secret) => secret !== null)
  }
  return graph
}

type Targets = Map<string, string | null>
type LookUp = Wanted & Readonly<{ targets: Targets; written: string }>

/** Adds secrets to a graph, and what their references name to what is to be looked up. */
function nodeReader(graph: Map<string, Node>) {
  const targetsByEnvironment = new Map<string, Targets>()
  let references = 0
  let lookUps = 0
  return (wanted: LookUp[], secret: ReferringSecret): void => {
    const { environmentId, value } = secret
    const targets: Targets = targetsByEnvironment.get(environmentId) ?? new Map()
    targetsByEnvironment.set(environmentId, targets)
    const isRead = !mayRefer(value) || references < REFERENCE_LIMITS.references
    const pieces = isRead ? parseReferences(value) : [value]
    graph.set(secret.id, { secret, pieces, isRead, targets })
    for (const piece of pieces) {
      if (typeof piece === 'string') continue
      references++
      const { written, reference } = piece
      if (targets.has(written) || lookUps === REFERENCE_LIMITS.lookUps) continue
      lookUps++
      targets.set(written, null)
      wanted.push({ environmentId, reference, targets, written })
    }
  }
}
