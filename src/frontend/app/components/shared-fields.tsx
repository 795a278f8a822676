import { type ReactNode, useState } from 'react'
import { isStatus } from '../api/errors.ts'
import { useAct } from './act.ts'
import { ConflictDialog } from './conflict-dialog.tsx'
import { type FieldRule, type Fields, useFields } from './fields.ts'

type Texts<K extends string> = Readonly<Record<K, string>>

/** Texts as they were read, with the ETag that a change of them names; null where they were read without one. */
export type Seen<K extends string> = Readonly<{ values: Texts<K>; etag: string | null }>

type SharedOptions<K extends string> = {
  /** Names the thing: "This app". */
  what: string
  /** The fields as a table names them. */
  labels: Texts<K>
  rules: Partial<Record<K, FieldRule>>
  /** What the reader was shown. */
  seen: Seen<K>
  read: () => Promise<Seen<K> & { etag: string }>
  /** Saves the texts that differ; 412 where the thing is not what `etag` names. */
  save: (changed: Partial<Texts<K>>, etag: string) => Promise<unknown>
  onSaved: (values: Texts<K>) => void
  /** The reader has dropped the own change for somebody else's. */
  onDropped?: () => void
}

type SharedFields<K extends string> = {
  fields: Fields<K>
  isChanged: boolean
  /** Saves, or shows somebody else's change. Rejects where the API refuses it for another reason. */
  submit: () => Promise<void>
  isConflict: boolean
  /** To be rendered: both changes side by side, where somebody else came first. */
  conflict: ReactNode
}

const ATTEMPTS = 3

/**
 * The texts of a thing that others change, too, such as its name. Somebody else's change of one of them is shown beside the
 * reader's own, and overwritten by nothing but "Apply mine"; other changes of the thing are no reason to ask.
 */
export function useSharedFields<K extends string>(options: SharedOptions<K>): SharedFields<K> {
  const { what, labels, rules, seen, read, save, onSaved, onDropped } = options
  const [base, setBase] = useState(seen)
  const [followed, setFollowed] = useState(seen.etag)
  const [theirs, setTheirs] = useState<(Seen<K> & { etag: string }) | null>(null)
  const fields = useFields(base.values, rules)
  const { busy, problem, setProblem, run } = useAct()
  const mine = differing(trimmed(base.values), trimmed(fields.values))
  const isChanged = Object.keys(mine).length > 0
  const adopt = (next: Seen<K>) => {
    setBase(next)
    fields.reset(next.values)
    setTheirs(null)
    setProblem(null)
  }
  if (seen.etag !== followed) {
    setFollowed(seen.etag)
    // What is not edited follows what others save.
    if (!isChanged) adopt(seen)
  }

  const write = async (from: Seen<K>, attempt = 1): Promise<void> => {
    const latest = from.etag === null ? await read() : { ...from, etag: from.etag }
    if (!isSame(latest.values, from.values)) return compare(latest)
    try {
      if (isChanged) await save(mine, latest.etag)
    } catch (error) {
      if (!isStatus(error, 412) || attempt === ATTEMPTS) throw error
      const now = await read()
      return isSame(now.values, from.values) ? write(now, attempt + 1) : compare(now)
    }
    await finish()
  }
  /** Both meant the same: then it is done. */
  const compare = async (now: Seen<K> & { etag: string }): Promise<void> => {
    const left = differing(now.values, { ...now.values, ...mine })
    if (Object.keys(left).length === 0) return finish()
    setTheirs(now)
  }
  const finish = async () => {
    const now = await read()
    adopt(now)
    onSaved(now.values)
  }
  const changed: Partial<Texts<K>> = theirs === null ? {} : differing(base.values, theirs.values)
  return {
    fields,
    isChanged,
    submit: () => write(base),
    isConflict: theirs !== null,
    conflict: (
      <ConflictDialog
        open={theirs !== null}
        title={`${what} was changed while you were editing`}
        lines={namesOf(labels)
          .filter((name) => name in changed || name in mine)
          .map((name) => ({
            what: labels[name],
            theirs: shown(changed[name]),
            yours: shown(mine[name]),
          }))}
        busy={busy}
        problem={problem}
        onKeepTheirs={() => {
          if (theirs !== null) adopt(theirs)
          onDropped?.()
        }}
        onKeepEditing={() => setTheirs(null)}
        onApplyMine={() => theirs !== null && void run(() => write(theirs))}
      />
    ),
  }
}

const shown = (value: string | undefined): ReactNode =>
  value === '' ? <span className="dim">none</span> : (value ?? null)

const namesOf = <K extends string>(texts: Texts<K>): K[] => Object.keys(texts) as K[]

const trimmed = <K extends string>(texts: Texts<K>): Texts<K> =>
  Object.fromEntries(namesOf(texts).map((name) => [name, texts[name].trim()])) as Texts<K>

const differing = <K extends string>(before: Texts<K>, after: Texts<K>): Partial<Texts<K>> =>
  Object.fromEntries(
    namesOf(before)
      .filter((name) => before[name] !== after[name])
      .map((name) => [name, after[name]]),
  ) as Partial<Texts<K>>

const isSame = <K extends string>(one: Texts<K>, other: Texts<K>): boolean =>
  Object.keys(differing(one, other)).length === 0
