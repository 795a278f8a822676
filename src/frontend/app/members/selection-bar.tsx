import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { can } from '../api/me.ts'
import { Button } from '../components/button.tsx'
import { ConfirmDialog } from '../components/dialog.tsx'
import { Menu } from '../components/menu.tsx'
import { Banner } from '../components/pieces.tsx'
import { useToast } from '../components/toast.tsx'
import { counted, inWords } from '../components/words.ts'
import { useRoles } from '../roles/role-options.tsx'
import { useViewer } from '../shell/viewer.ts'
import { type BulkOutcome, forEach } from './bulk.ts'
import { GiveAccess, giveAccess } from './give-access.tsx'
import { actsOn } from './member-acts.ts'
import { forgetMembers, patchMember } from './member-cache.ts'
import { useMemberRoles } from './member-role.tsx'
import { nameOf } from './names.ts'
import { changeRole, type Member, removeMember } from './queries.ts'
import { TakenAway } from './remove-dialog.tsx'

type Selected = ReadonlyMap<string, Member>
type SelectionBarProps = { selected: Selected; onSelect: (selected: Selected) => void }

/** What can be done with the selected members at once: one call for each, and each that fails says why. */
export function SelectionBar({ selected, onSelect }: SelectionBarProps) {
  const viewer = useViewer()
  const queryClient = useQueryClient()
  const toast = useToast()
  const options = useMemberRoles()
  const { data: roles = [] } = useRoles()
  const [progress, setProgress] = useState<number | null>(null)
  const [outcome, setOutcome] = useState<BulkOutcome | null>(null)
  const [isRemoving, setRemoving] = useState(false)
  const [isGiving, setGiving] = useState(false)
  const members = [...selected.values()]

  const run = async (act: (member: Member) => Promise<unknown>, said: (count: string) => string) => {
    setOutcome(null)
    setProgress(0)
    const outcome = await forEach(members, act, setProgress)
    setProgress(null)
    setOutcome(outcome.failed.length === 0 ? null : outcome)
    // Those that failed stay selected, to be tried again.
    onSelect(new Map(outcome.failed.map(({ member }) => [member.id, member])))
    if (outcome.done.length > 0) toast(said(counted(outcome.done.length, 'member')))
    return outcome
  }
  const changeRoles = (roleId: string, roleName: string) =>
    run(
      async (member) => patchMember(queryClient, await changeRole(member, roleId)),
      (count) => `${count} now ${count.startsWith('1 ') ? 'has' : 'have'} the role ${roleName}.`,
    )
  const remove = async () => {
    const { done } = await run(removeMember, (count) => `${count} removed.`)
    forgetMembers(queryClient, new Set(done.map(({ id }) => id)))
  }
  const give = async (environments: ReadonlyMap<string, string>) => {
    setGiving(false)
    await run(
      (member) => giveAccess(member, environments),
      (count) => `${count} can open ${counted(environments.size, 'environment')} more.`,
    )
    void queryClient.invalidateQueries({ queryKey: ['members'] })
    void queryClient.invalidateQueries({ queryKey: ['access'], refetchType: 'none' })
  }
  const acts = members.map((member) => actsOn(viewer, member, roles))
  const changeRefusal = acts.find(({ changeRefusal }) => changeRefusal !== null)?.changeRefusal ?? null
  const removeRefusal = acts.find(({ removeRefusal }) => removeRefusal !== null)?.removeRefusal ?? null
  const isBusy = progress !== null
  return (
    <div className="change-bar-place">
      {outcome !== null && <Failures outcome={outcome} onClose={() => setOutcome(null)} />}
      {isGiving && <GiveAccess members={members} onCancel={() => setGiving(false)} onGive={give} />}
      <section className="changes" aria-label="Selection">
        <div>
          <p role="status">
            <b>{counted(members.length, 'member')} selected:</b> {namesOf(members)}
          </p>
          {progress !== null && (
            <p className="num">
              {progress} of {members.length} done
            </p>
          )}
        </div>
        <div className="row">
          <Button kind="quiet" onClick={() => onSelect(new Map())}>
            Clear
          </Button>
          {can(viewer, 'update', 'Members') && (
            <>
              <Menu
                trigger={
                  <Button busy={isBusy} disabledBecause={changeRefusal}>
                    Change role
                  </Button>
                }
                entries={options.map(({ value, disabledBecause }) => {
                  const name = roles.find(({ id }) => id === value)?.name ?? ''
                  return {
                    label: name,
                    disabledBecause: disabledBecause ?? null,
                    onClick: () => void changeRoles(value, name),
                  }
                })}
              />
              <Button busy={isBusy} aria-expanded={isGiving} onClick={() => setGiving(!isGiving)}>
                Give access
              </Button>
            </>
          )}
          {can(viewer, 'delete', 'Members') && (
            <Button
              kind="danger-quiet"
              busy={isBusy}
              disabledBecause={removeRefusal}
              onClick={() => setRemoving(true)}
            >
              Remove
            </Button>
          )}
        </div>
      </section>
      <ConfirmDialog
        open={isRemoving}
        onClose={() => setRemoving(false)}
        title={`Remove ${counted(members.length, 'member')}?`}
        text={
          <p>
            {namesOf(members)} can’t sign in to this organisation any more, and can’t be put back: only
            invited again.
          </p>
        }
        act={`Remove ${counted(members.length, 'member')}`}
        onConfirm={remove}
      >
        <TakenAway name="they" />
      </ConfirmDialog>
    </div>
  )
}

function Failures({ outcome, onClose }: { outcome: BulkOutcome; onClose: () => void }) {
  const { done, failed } = outcome
  return (
    <Banner
      tone="remove"
      act={
        <Button size="sm" onClick={onClose}>
          Close
        </Button>
      }
    >
      <p>
        <b>
          {failed.length} of {counted(done.length + failed.length, 'member')}{' '}
          {failed.length === 1 ? 'was' : 'were'} not changed.
        </b>
      </p>
      <ul className="failures">
        {failed.map(({ member, sentence }) => (
          <li key={member.id}>
            {nameOf(member)}: {sentence}
          </li>
        ))}
      </ul>
    </Banner>
  )
}

const NAMED = 4

function namesOf(members: readonly Member[]): string {
  const names = members.slice(0, NAMED).map(nameOf)
  return inWords(members.length > NAMED ? [...names, `${members.length - NAMED} more`] : names)
}
