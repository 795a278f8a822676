import { useQueryClient } from '@tanstack/react-query'
import { ConfirmDialog } from '../components/dialog.tsx'
import { useToast } from '../components/toast.tsx'
import { counted } from '../components/words.ts'
import { forgetMembers } from './member-cache.ts'
import { firstNameOf, nameOf } from './names.ts'
import { type MemberRef, removeMember } from './queries.ts'

type RemoveDialogProps = {
  /** Whom to remove; null while the dialog is closed. */
  member: (MemberRef & { accessibleEnvironments?: number; globalAccess?: boolean }) | null
  onClose: () => void
  onRemoved?: () => void
}

/** Asks before a member is removed, and says what that takes away. */
export function RemoveDialog({ member, onClose, onRemoved }: RemoveDialogProps) {
  const queryClient = useQueryClient()
  const toast = useToast()
  const name = member === null ? '' : firstNameOf(member)
  const remove = async () => {
    if (member === null) return
    await removeMember(member)
    forgetMembers(queryClient, new Set([member.id]))
    toast(`${nameOf(member)} was removed.`)
    onRemoved?.()
  }
  return (
    <ConfirmDialog
      open={member !== null}
      onClose={onClose}
      title={`Remove ${member === null ? '' : nameOf(member)}?`}
      text={
        <p>{name} can’t sign in to this organisation any more, and can’t be put back: only invited again.</p>
      }
      act={`Remove ${name}`}
      onConfirm={remove}
    >
      <TakenAway name={name} environments={member?.accessibleEnvironments} />
    </ConfirmDialog>
  )
}

/** What a removal takes away, and what it can't. */
export function TakenAway({ name, environments }: { name: string; environments?: number | undefined }) {
  const has = name === 'they' ? 'have' : 'has'
  return (
    <ul className="taken-away">
      <li>
        {environments === undefined
          ? 'Access to every environment ends at once.'
          : `Access to ${counted(environments, 'environment')} ends at once.`}
      </li>
      <li>Sessions and personal access tokens stop working, and whatever uses those tokens.</li>
      <li>Invites that {name} sent and nobody has accepted are withdrawn.</li>
      <li>
        Secrets that {name} {has} read stay known: change those that matter.
      </li>
    </ul>
  )
}
