import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { isStatus } from '../api/errors.ts'
import { readAnew } from '../api/latest.ts'
import { useAct } from '../components/act.ts'
import type { RoleConflict } from './conflict-lines.ts'
import { bodyOf, changeBetween, isChange, onTop, type RoleState } from './draft.ts'
import { changeRole, type Role, roleQuery, stateOf } from './queries.ts'

/** A role that is being edited: what is wanted, saved as a whole, unless somebody else has changed it meanwhile. */
export function useRoleDraft(tagged: { data: Role; etag: string }, onSaved: () => void) {
  const queryClient = useQueryClient()
  const [base, setBase] = useState(tagged)
  const [state, setState] = useState(() => stateOf(tagged.data))
  const [conflict, setConflict] = useState<(RoleConflict & { latest: typeof tagged }) | null>(null)
  const { busy, problem, setProblem, run } = useAct()
  const before = stateOf(base.data)
  const change = changeBetween(before, state)

  // What is not edited follows what others save.
  if (tagged.etag !== base.etag && !isChange(change) && !busy) {
    setBase(tagged)
    setState(stateOf(tagged.data))
  }

  const startAt = (latest: typeof tagged, wanted: RoleState) => {
    setBase(latest)
    setState(wanted)
    setConflict(null)
    setProblem(null)
  }
  const save = (from: typeof tagged, wanted: RoleState) =>
    run(async () => {
      const wantedChange = changeBetween(stateOf(from.data), wanted)
      try {
        const saved = await changeRole(from.data.id, from.etag, bodyOf(wanted, wantedChange))
        await queryClient.invalidateQueries({ queryKey: ['roles'] })
        await queryClient.invalidateQueries({ queryKey: ['me'] })
        const latest = queryClient.getQueryData(roleQuery(from.data.id).queryKey)
        startAt(latest ?? { ...saved, etag: from.etag }, stateOf((latest ?? saved).data))
        onSaved()
      } catch (error) {
        if (!isStatus(error, 412)) throw error
        await showConflict(from, wanted)
      }
    })
  const showConflict = async (from: typeof tagged, wanted: RoleState) => {
    const latest = (await readAnew(queryClient, roleQuery(from.data.id))) as typeof tagged
    setConflict({ before: stateOf(from.data), now: stateOf(latest.data), mine: wanted, latest })
  }
  const mineOnTop =
    conflict === null
      ? null
      : onTop(conflict.now, conflict.mine, changeBetween(conflict.before, conflict.mine))

  return {
    before,
    state,
    change,
    isChanged: isChange(change),
    busy,
    refusal: problem,
    conflict,
    edit: (next: RoleState) => {
      setProblem(null)
      setState(next)
    },
    discard: () => startAt(base, before),
    save: () => void save(base, state),
    dropMine: () => conflict !== null && startAt(conflict.latest, conflict.now),
    keepEditing: () => conflict !== null && mineOnTop !== null && startAt(conflict.latest, mineOnTop),
    applyOnTop: () => {
      if (conflict === null || mineOnTop === null) return
      startAt(conflict.latest, mineOnTop)
      void save(conflict.latest, mineOnTop)
    },
  }
}
