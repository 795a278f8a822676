import { Fragment, type ReactNode } from 'react'
import { counted, inWords } from '../components/words.ts'
import type { ChangedApp } from './draft.ts'

const APPS_NAMED = 3

type ChangeWordsProps = {
  name: string
  opens: readonly ChangedApp[]
  closes: readonly ChangedApp[]
  /** Whether the name stands for several people. */
  plural?: boolean
}

/** A change of access in words: "Ana gains Staging and Production of Ledger, and loses Production of Storefront." */
export function ChangeWords({ name, opens, closes, plural = false }: ChangeWordsProps) {
  return (
    <>
      {name}
      {opens.length > 0 && (
        <>
          {' '}
          {plural ? 'gain' : 'gains'} {named(opens, 'ins')}
        </>
      )}
      {opens.length > 0 && closes.length > 0 && ', and'}
      {closes.length > 0 && (
        <>
          {' '}
          {plural ? 'lose' : 'loses'} {named(closes, 'del')}
        </>
      )}
      .
    </>
  )
}

/** What an applied change has brought: "Applied. Ana can open Staging of Ledger, and no longer Production of Ledger." */
export function appliedSentence(
  name: string,
  { opens, closes }: Pick<ChangeWordsProps, 'opens' | 'closes'>,
): string {
  if (opens.length === 0) return `Applied. ${name} can no longer open ${changesAsText(closes)}.`
  const lost = closes.length === 0 ? '' : `, and no longer ${changesAsText(closes)}`
  return `Applied. ${name} can open ${changesAsText(opens)}${lost}.`
}

const changesAsText = (changes: readonly ChangedApp[]): string =>
  inWords(changes.slice(0, APPS_NAMED).map(ofApp).concat(furtherOnes(changes)))

function named(changes: readonly ChangedApp[], Tag: 'ins' | 'del'): ReactNode {
  const parts = changes.slice(0, APPS_NAMED).map(ofApp).concat(furtherOnes(changes))
  return parts.map((part, place) => (
    <Fragment key={part}>
      {place > 0 && (place === parts.length - 1 ? ' and ' : ', ')}
      <Tag>{part}</Tag>
    </Fragment>
  ))
}

const ofApp = ({ app, environments }: ChangedApp): string => `${inWords(environments)} of ${app}`

function furtherOnes(changes: readonly ChangedApp[]): string[] {
  const further = changes.slice(APPS_NAMED)
  if (further.length === 0) return []
  const environments = further.reduce((sum, change) => sum + change.environments.length, 0)
  return [`${counted(environments, 'environment')} of ${counted(further.length, 'further app')}`]
}
