import { type ChangeObject, diffLines, diffWordsWithSpace } from 'diff'
import { counted } from '../components/words.ts'

/** A line of a difference: where it stands, and its text with the words that differ marked. */
export type Line = {
  kind: 'same' | 'add' | 'remove'
  number: number
  parts: { text: string; isMarked: boolean }[]
}

/** Additions and removals that are looked for: the time grows with the square of their number. */
const MOST_EDITS = 500

/**
 * How two texts differ, line by line, and within lines that changed word by word. Of texts that differ in too many
 * lines, all lines are removed and added; of lines that differ in too many words, the whole line is marked.
 */
export function lineDifference(before: string, after: string): Line[] {
  const at = { before: 1, after: 1 }
  const changes = diffLines(withEnd(before), withEnd(after), { maxEditLength: MOST_EDITS })
  if (changes === undefined) return [...plainLines(REMOVED, before, at), ...plainLines(ADDED, after, at)]
  const lines: Line[] = []
  // All changed lines together take as long as a single one may.
  const mostWordEdits = MOST_EDITS / Math.sqrt(removedLines(changes))
  for (let place = 0; place < changes.length; place++) {
    const change = changes[place]
    const next = changes[place + 1]
    if (change?.removed && next?.added) {
      lines.push(...changedLines(linesOf(change.value), linesOf(next.value), at, mostWordEdits))
      place++
    } else if (change !== undefined) {
      for (const line of plainLines(change, change.value, at)) lines.push(line)
    }
  }
  return lines
}

type Kind = Readonly<{ added: boolean; removed: boolean }>
type Place = { before: number; after: number }

const REMOVED: Kind = { added: false, removed: true }
const ADDED: Kind = { added: true, removed: false }

const removedLines = (changes: readonly ChangeObject<string>[]): number =>
  changes.reduce((sum, { removed, count }) => sum + (removed ? count : 0), 0)

const plainLines = (kind: Kind, text: string, at: Place): Line[] =>
  linesOf(text).map((line) => plainLine(kind, line, at))

function plainLine({ added, removed }: Kind, text: string, at: Place): Line {
  const number = removed ? at.before : at.after
  if (!added) at.before++
  if (!removed) at.after++
  return { kind: added ? 'add' : removed ? 'remove' : 'same', number, parts: [{ text, isMarked: false }] }
}

/** Lines in place of others: the first with the first, and so on; what is left over is whole. */
function changedLines(removed: string[], added: string[], at: Place, mostWordEdits: number): Line[] {
  const lines: Line[] = []
  for (let place = 0; place < Math.max(removed.length, added.length); place++) {
    const before = removed[place]
    const after = added[place]
    if (before !== undefined && after !== undefined)
      lines.push(...changedLine(before, after, at, mostWordEdits))
    else if (before !== undefined) lines.push(plainLine(REMOVED, before, at))
    else if (after !== undefined) lines.push(plainLine(ADDED, after, at))
  }
  return lines
}

function changedLine(before: string, after: string, at: Place, mostWordEdits: number): Line[] {
  const words = diffWordsWithSpace(before, after, { maxEditLength: mostWordEdits }) ?? [
    { ...REMOVED, value: before },
    { ...ADDED, value: after },
  ]
  const parts = (left: 'added' | 'removed') =>
    words
      .filter((word) => !word[left])
      .map(({ value, added, removed }) => ({ text: value, isMarked: added || removed }))
  return [
    { kind: 'remove', number: at.before++, parts: parts('added') },
    { kind: 'add', number: at.after++, parts: parts('removed') },
  ]
}

/** A last line is the same whether a line break ends it or not. */
const withEnd = (text: string): string => (text.endsWith('\n') ? text : `${text}\n`)

const linesOf = (text: string): string[] => text.replace(/\n$/, '').split('\n')

/** "2 lines changed, 1 added", in words. */
export function summaryOf(lines: readonly Line[]): string {
  const added = lines.filter(({ kind }) => kind === 'add').length
  const removed = lines.filter(({ kind }) => kind === 'remove').length
  const changed = Math.min(added, removed)
  const words = [
    changed > 0 && `${counted(changed, 'line')} changed`,
    added > changed && `${added - changed} added`,
    removed > changed && `${removed - changed} removed`,
  ].filter(Boolean)
  return words.length === 0 ? 'unchanged' : words.join(', ')
}
