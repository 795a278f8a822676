import type { ReactNode } from 'react'
import { counted, inWords } from '../components/words.ts'
import { keyOf } from './applying.ts'
import { type Draft, type Drafts, isOwn, partsOf } from './drafts.ts'
import type { Readers } from './queries.ts'
import type { NamedEnvironment } from './secret-rows.ts'

const MOST_NAMES = 3

/** Says in words what will be different: "In Production, STRIPE_KEY gets a new value." */
export function ChangeSentence({
  drafts,
  environments,
}: {
  drafts: Drafts
  environments: readonly NamedEnvironment[]
}) {
  return environments
    .map((environment) => ({ environment, parts: partsIn(drafts, environment) }))
    .filter(({ parts }) => parts.length > 0)
    .map(({ environment, parts }) => (
      <span key={environment.id}>
        In {environment.name}, {joined(phrasesOf(parts))}.{' '}
      </span>
    ))
}

const partsIn = (drafts: Drafts, { id }: NamedEnvironment): Draft[] =>
  [...drafts.values()].filter(({ environmentId }) => environmentId === id).flatMap(partsOf)

type Phrase = { key: string; node: ReactNode }

function phrasesOf(parts: Draft[]): Phrase[] {
  const groups = Map.groupBy(parts, wordsFor)
  return [...groups].map(([words, group]) => {
    const [one, many] = WORDS[words]
    const names = group.length > MOST_NAMES ? counted(group.length, 'secret') : inWords(group.map(keyOf))
    const text = group.length === 1 ? one : many
    return {
      key: words,
      node: (
        <>
          {words === 'deleted' ? <del>{names}</del> : <ins>{names}</ins>} {text}
          {words === 'renamed' && group.length === 1 && <ins> {group[0]?.change.key}</ins>}
          {words === 'moved' && group.length === 1 && <ins> {group[0]?.change.path}</ins>}
        </>
      ),
    }
  })
}

type Kind =
  | 'added'
  | 'valued'
  | 'deleted'
  | 'renamed'
  | 'moved'
  | 'own'
  | 'ownGone'
  | 'sealed'
  | 'described'
  | 'back'

const WORDS: Record<Kind, [one: string, many: string]> = {
  added: ['is added', 'are added'],
  valued: ['gets a new value', 'get new values'],
  deleted: ['is deleted', 'are deleted'],
  renamed: ['is renamed to', 'are renamed'],
  moved: ['moves to', 'move to another path'],
  own: ['gets another value for you alone', 'get other values for you alone'],
  ownGone: ['has the shared value for you again', 'have the shared values for you again'],
  sealed: [
    'is sealed for good: its value can be replaced, and is never shown again',
    'are sealed for good: their values can be replaced, and are never shown again',
  ],
  described: ['gets other details', 'get other details'],
  back: ['stays as it is', 'stay as they are'],
}

function wordsFor(part: Draft): Kind {
  const { base, isDeleted, change } = part
  if (isOwn(part)) return change.own === null ? 'ownGone' : 'own'
  if (isDeleted) return 'deleted'
  if (base === null) return 'added'
  if (change.key !== undefined) return 'renamed'
  if (change.path !== undefined) return 'moved'
  if (change.type === 'sealed') return 'sealed'
  if (change.value !== undefined) return 'valued'
  return Object.keys(change).length === 0 ? 'back' : 'described'
}

function joined(phrases: Phrase[]): ReactNode {
  return phrases.map(({ key, node }, index) => (
    <span key={key}>
      {index > 0 && (index === phrases.length - 1 ? ' and ' : ', ')}
      {node}
    </span>
  ))
}

/** Who will read it, and what stays. */
export function consequenceOf(drafts: Drafts, readers: readonly Readers[]): string {
  const own = [...drafts.values()]
  if (
    own.every(({ change, isDeleted }) => !isDeleted && Object.keys(change).every((field) => field === 'own'))
  ) {
    return 'Nobody else sees your own values.'
  }
  return [readersSentence(readers), versionsSentence(own)].filter(Boolean).join(' ')
}

function readersSentence(readers: readonly Readers[]): string {
  const [most] = [...readers].sort((a, b) => b.people + b.machines - a.people - a.machines)
  if (most === undefined) return ''
  const more = most.isMore ? 'More than ' : ''
  const people = counted(most.people, 'person', 'people')
  const machines = most.machines === 0 ? '' : ` and ${counted(most.machines, 'machine')}`
  const where = readers.length > 1 ? ' one of these environments' : ' it'
  return `${more}${people}${machines} can open${where}.`
}

function versionsSentence(drafts: Draft[]): string {
  const [first, second] = drafts.filter(({ base }) => base !== null)
  if (first === undefined) return ''
  if (drafts.some(({ isDeleted }) => isDeleted)) return 'What is deleted can be restored for up to 90 days.'
  return second === undefined
    ? `Version ${first.base?.version} stays in the history.`
    : 'The present versions stay in the history.'
}
