import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { refusalBy } from '../../../core/policy.ts'
import { remove, removeHeld } from '../../../core/roles/policy.ts'
import { can, kindOf } from '../api/me.ts'
import { Button, ButtonLink } from '../components/button.tsx'
import { ConfirmDialog } from '../components/dialog.tsx'
import { useToast } from '../components/toast.tsx'
import { useViewer } from '../shell/viewer.ts'
import { deleteRole, holdersQuery, type Role } from './queries.ts'

/** What can be done with a role as a whole: make one like it, or delete it; and why it can't be deleted. */
export function RoleActs({ role, etag }: { role: Role; etag: string }) {
  const viewer = useViewer()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const toast = useToast()
  const [isAsking, setAsking] = useState(false)
  const { data: holders } = useQuery(holdersQuery(role.id, viewer))
  const refusal =
    refusalBy(remove, { role: { id: role.id, kind: kindOf(role) } }) ??
    refusalBy(removeHeld, {
      members: holders?.members?.total ?? 0,
      serviceAccounts: holders?.accounts?.total ?? 0,
      invites: 0,
    })
  const confirm = async () => {
    await deleteRole(role.id, etag)
    queryClient.removeQueries({ queryKey: ['roles', role.id] })
    await navigate({ to: '/roles', ignoreBlocker: true })
    await queryClient.invalidateQueries({ queryKey: ['roles'] })
    toast(`The role ${role.name} was deleted.`)
  }
  return (
    <>
      {can(viewer, 'create', 'Roles') && (
        <ButtonLink icon="copy" to="/roles/new" search={{ from: role.id }}>
          Duplicate
        </ButtonLink>
      )}
      {can(viewer, 'delete', 'Roles') && !role.isDefault && (
        <Button disabledBecause={refusal?.message} onClick={() => setAsking(true)}>
          Delete
        </Button>
      )}
      <ConfirmDialog
        open={isAsking}
        onClose={() => setAsking(false)}
        title={`Delete the role ${role.name}?`}
        text="Nobody can be given it any more, and it can’t be brought back."
        act={`Delete ${role.name}`}
        onConfirm={confirm}
      />
    </>
  )
}
