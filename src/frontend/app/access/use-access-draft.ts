import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { isStatus } from '../api/errors.ts'
import { readAnew } from '../api/latest.ts'
import { useAct } from '../components/act.ts'
import { type Draft, differences, NO_CHANGES, openIn, rebased, wanting, wholeAccess } from './draft.ts'
import { type AccessApp, mergeApps } from './matrix.ts'
import type { AccessRead, accessQuery, WholeAccess } from './queries.ts'

/** Reads somebody's access: `accessQuery` makes one. */
export type AccessQuery = ReturnType<typeof accessQuery>

/** Somebody else's change that came between reading and applying. */
export type Conflict = Readonly<{
  before: AccessRead
  now: AccessRead
  theirs: Draft
  /** What the reader wanted, over the state that was read first. */
  mine: Draft
  /** What is left of that over the state that is there now. */
  left: Draft
}>

type Options = {
  query: AccessQuery
  latest: AccessRead
  /** Everything that there is to open. */
  everything: readonly AccessApp[]
  /** Reads that anew: apps and environments come and go. */
  readEverything: () => Promise<readonly AccessApp[]>
  save: (apps: WholeAccess, etag: string) => Promise<unknown>
  onApplied: (draft: Draft) => void
}

/**
 * A change of access that is made as a whole. While there is one, it stands over the state that was read before it; another
 * state comes in by `apply` alone, whose 412 leads to a conflict.
 */
export function useAccessDraft({ query, latest, everything, readEverything, save, onApplied }: Options) {
  const queryClient = useQueryClient()
  const [draft, setDraft] = useState<Draft>(NO_CHANGES)
  const [held, setHeld] = useState<AccessRead | null>(null)
  const [conflict, setConflict] = useState<Conflict | null>(null)
  const { busy, problem, setProblem, run } = useAct()
  const read = held ?? latest
  const open = openIn(read.data.apps)

  const change = (ids: readonly string[], wanted: (id: string) => boolean) => {
    setProblem(null)
    const next = ids.reduce((draft, id) => wanting(open, draft, [id], wanted(id)), draft)
    setDraft(next)
    setHeld(next.size === 0 ? null : read)
  }
  const drop = () => {
    setDraft(NO_CHANGES)
    setHeld(null)
    setConflict(null)
    setProblem(null)
  }
  /** Reads what is there now; where that is what was read before, the change was refused for another reason. */
  const reread = async (error: unknown) => {
    const [now, all] = await Promise.all([readAnew(queryClient, query), readEverything()])
    if (now.etag === read.etag) throw error
    const openNow = openIn(now.data.apps)
    const left = rebased(draft, openNow, openIn(mergeApps(all, now.data.apps)))
    setConflict({ before: read, now, theirs: differences(open, openNow), mine: draft, left })
    setDraft(left)
    setHeld(left.size === 0 ? null : now)
  }
  const write = async () => {
    setConflict(null)
    try {
      await save(wholeAccess(mergeApps(everything, read.data.apps), open, draft), read.etag)
      await readAnew(queryClient, query).catch(() => null)
      void queryClient.invalidateQueries({ queryKey: query.queryKey.slice(0, 1), refetchType: 'none' })
      void queryClient.invalidateQueries({ queryKey: ['access'], refetchType: 'none' })
      onApplied(draft)
      drop()
    } catch (error) {
      // An environment that was deleted is not found, and a role that opens everything is forbidden, before anything else.
      const mayBeOutdated = isStatus(error, 412) || isStatus(error, 404) || isStatus(error, 403)
      if (!mayBeOutdated) throw error
      await reread(error)
    }
  }
  return {
    read,
    open,
    draft,
    conflict,
    refusal: problem,
    isBusy: busy,
    change,
    drop,
    apply: () => void run(write),
    keepEditing: () => setConflict(null),
  }
}
