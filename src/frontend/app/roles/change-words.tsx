import type { ReactNode } from 'react'
import { type Key, type RoleChange, type RoleState, wordsOfKey } from './draft.ts'

const MOST_NAMED = 4

/** Who will be able to do what once a change is applied: "5 holders gain delete Apps". */
export function RoleChangeWords({
  change,
  state,
  holders,
}: {
  change: RoleChange
  state: RoleState
  holders: number | null
}) {
  const parts = [
    ...(change.fields.includes('name')
      ? [<>The role is called {state.name.trim() === '' ? 'nothing' : state.name}</>]
      : []),
    ...(change.fields.includes('description') ? [<>it is described anew</>] : []),
    ...(change.fields.includes('color') ? [<>it has another colour</>] : []),
    ...(change.added.length > 0
      ? [
          <>
            {whoGains(holders)} {listOf(change.added, 'ins')}
          </>,
        ]
      : []),
    ...(change.removed.length > 0
      ? [
          <>
            {whoLoses(holders, change.added.length > 0)} {listOf(change.removed, 'del')}
          </>,
        ]
      : []),
  ]
  return parts.map((part, place) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence keep their places
    <span key={place}>
      {part}
      {place === parts.length - 1 ? '.' : '; '}
    </span>
  ))
}

const whoGains = (holders: number | null): string =>
  holders === null || holders === 0
    ? 'Whoever holds it gains'
    : holders === 1
      ? '1 holder gains'
      : `${holders} holders gain`

const whoLoses = (holders: number | null, isSecond: boolean): string =>
  isSecond
    ? `and ${holders !== null && holders > 1 ? 'lose' : 'loses'}`
    : whoGains(holders).replace(/gain(s?)$/, (_, s: string) => (s === '' ? 'lose' : 'loses'))

function listOf(keys: readonly Key[], Mark: 'ins' | 'del'): ReactNode {
  const named = keys.slice(0, MOST_NAMED)
  return (
    <>
      {named.map((key, place) => (
        <span key={key}>
          {place === 0 ? '' : place === named.length - 1 && keys.length <= MOST_NAMED ? ' and ' : ', '}
          <Mark>{wordsOfKey(key)}</Mark>
        </span>
      ))}
      {keys.length > MOST_NAMED && ` and ${keys.length - MOST_NAMED} more`}
    </>
  )
}
