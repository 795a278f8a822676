import { useState } from 'react'
import { useAct } from '../components/act.ts'
import { Button } from '../components/button.tsx'
import { ConflictDialog } from '../components/conflict-dialog.tsx'
import { Dialog } from '../components/dialog.tsx'
import { RoleName } from '../components/pieces.tsx'
import { type Option, Select } from '../components/select.tsx'
import { useToast } from '../components/toast.tsx'
import { type RoleReference, RoleWasChanged } from './role-change.ts'

type RoleSelectProps<H extends { role: RoleReference }> = {
  holder: H
  name: string
  options: readonly Option<string>[]
  /** Why the role can't be changed, a sentence. */
  refusal?: string | null
  bare?: boolean
  /** Gives another role as long as the holder has the one that was shown; else throws `RoleWasChanged`. */
  change: (shown: H, roleId: string) => Promise<H>
  onChanged: (holder: H) => void
  /** The reader keeps what somebody else has chosen. */
  onKept: () => void
}

type Conflict = { wanted: string; now: RoleReference }

/** The role of a person or machine, changed in place: at once, with a way back. Somebody else's change is shown first. */
export function RoleSelect<H extends { role: RoleReference }>({
  holder,
  name,
  options,
  refusal = null,
  bare = false,
  change,
  onChanged,
  onKept,
}: RoleSelectProps<H>) {
  const toast = useToast()
  const { busy, problem, setProblem, run } = useAct()
  const [conflict, setConflict] = useState<Conflict | null>(null)
  const give = async (shown: H, roleId: string, isUndo = false): Promise<void> => {
    setConflict(null)
    const attempt = async () => {
      const changed = await change(shown, roleId)
      onChanged(changed)
      const undo = { label: 'Undo', onClick: () => void give(changed, shown.role.id, true) }
      toast(`${name} has the role ${changed.role.name} now.`, isUndo ? undefined : undo, `role of ${name}`)
    }
    await run(attempt, (error) => {
      if (error instanceof RoleWasChanged) setConflict({ wanted: roleId, now: error.now })
      return error instanceof RoleWasChanged
    })
  }
  // A role that can't be given is no option, and yet somebody holds it.
  const all = options.some(({ value }) => value === holder.role.id)
    ? options
    : [{ value: holder.role.id, label: <RoleName name={holder.role.name} /> }, ...options]
  return (
    <>
      <Select
        label={`Role of ${name}: ${holder.role.name}`}
        value={holder.role.id}
        options={all}
        bare={bare}
        disabledBecause={refusal ?? (busy ? 'The role is being changed.' : null)}
        onChange={(roleId) => roleId !== holder.role.id && void give(holder, roleId)}
      />
      <ConflictDialog
        open={conflict !== null}
        title={`The role of ${name} was changed meanwhile`}
        text={`It was ${holder.role.name} when you chose. Yours is not applied yet.`}
        lines={[
          {
            what: 'Role',
            theirs: conflict?.now.name,
            yours: options.find(({ value }) => value === conflict?.wanted)?.label,
          },
        ]}
        onKeepTheirs={() => {
          setConflict(null)
          onKept()
        }}
        onApplyMine={() => conflict !== null && void give({ ...holder, role: conflict.now }, conflict.wanted)}
      />
      <Dialog
        open={problem !== null}
        onClose={() => setProblem(null)}
        title="The role was not changed"
        text={problem}
        acts={<Button onClick={() => setProblem(null)}>Close</Button>}
      />
    </>
  )
}
