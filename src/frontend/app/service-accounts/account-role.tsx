import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { RoleKind } from '../../../core/permissions.ts'
import { refusalBy } from '../../../core/policy.ts'
import { assignRole } from '../../../core/service-accounts/policy.ts'
import { api, taggedAnswer } from '../api/client.ts'
import { isStatus, messageOf } from '../api/errors.ts'
import { asRoleHolder, type Viewer } from '../api/me.ts'
import { Button } from '../components/button.tsx'
import { Dialog } from '../components/dialog.tsx'
import { RoleName } from '../components/pieces.tsx'
import { type Option, Select } from '../components/select.tsx'
import { useToast } from '../components/toast.tsx'
import { roleOptions, rolesQuery } from '../roles/role-options.ts'
import { useViewer } from '../shell/viewer.ts'
import { type Account, accountQuery, changeAccount } from './queries.ts'

/** The roles that a service account can be given, each with what it means, or why the viewer can't give it. */
export function useAccountRoles(): Option<string>[] {
  const viewer = useViewer()
  const { data: roles = [] } = useQuery(rolesQuery)
  return roleOptions(
    roles,
    (kind) => refusalOf(viewer, kind),
    ({ name, color }) => <RoleName name={name} color={color} />,
  )
}

/** A list tells nothing of what custom roles allow: the API refuses those beyond the viewer's own. */
function refusalOf(viewer: Viewer, kind: RoleKind): string | null {
  const permissions = kind === 'custom' ? { permissions: {}, appPermissions: {} } : null
  return refusalBy(assignRole, { actor: asRoleHolder(viewer), role: { kind, permissions } })?.message ?? null
}

type Shown = Pick<Account, 'id' | 'name' | 'role'>
type Problem = { message: string; wanted: string; now: Shown['role'] | null }

/** A service account's role, changed in place: at once, with a way back. Somebody else's change is shown, not overwritten. */
export function AccountRoleSelect({ account }: { account: Shown }) {
  const queryClient = useQueryClient()
  const toast = useToast()
  const options = useAccountRoles()
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  const change = async (shown: Shown, roleId: string, isUndo = false): Promise<void> => {
    setBusy(true)
    try {
      const changed = await changeRoleOf(shown, roleId)
      await queryClient.invalidateQueries({ queryKey: ['service-accounts'] })
      const undo = { label: 'Undo', onClick: () => void change(changed, shown.role.id, true) }
      toast(`${changed.name} has the role ${changed.role.name} now.`, isUndo ? undefined : undo)
    } catch (error) {
      setProblem({
        message: messageOf(error),
        wanted: roleId,
        now: error instanceof OtherRole ? error.now : null,
      })
    } finally {
      setBusy(false)
    }
  }
  const close = () => {
    setProblem(null)
    void queryClient.invalidateQueries({ queryKey: accountQuery(account.id).queryKey })
  }
  return (
    <>
      <Select
        label={`Role of ${account.name}: ${account.role.name}`}
        value={account.role.id}
        options={options}
        disabledBecause={busy ? 'The role is being changed.' : null}
        onChange={(roleId) => roleId !== account.role.id && void change(account, roleId)}
      />
      <Dialog
        open={problem !== null}
        onClose={close}
        title={
          problem?.now == null
            ? 'The role was not changed'
            : `The role of ${account.name} was changed meanwhile`
        }
        text={problem?.message}
        acts={
          <>
            <Button onClick={close}>{problem?.now == null ? 'Close' : `Keep ${problem.now.name}`}</Button>
            {problem?.now != null && (
              <Button
                kind="primary"
                onClick={() => {
                  if (problem.now !== null) void change({ ...account, role: problem.now }, problem.wanted)
                  setProblem(null)
                }}
              >
                Change to {options.find(({ value }) => value === problem.wanted)?.label}
              </Button>
            )}
          </>
        }
      >
        {problem?.now != null && (
          <dl className="pair">
            <dt>You saw</dt>
            <dd>{account.role.name}</dd>
            <dt>It is now</dt>
            <dd>{problem.now.name}</dd>
            <dt>You chose</dt>
            <dd>{options.find(({ value }) => value === problem.wanted)?.label}</dd>
          </dl>
        )}
      </Dialog>
    </>
  )
}

/** Thrown where the service account has another role by now than the reader was shown. */
class OtherRole extends Error {
  constructor(readonly now: Shown['role']) {
    super('Somebody else has given it another role. Nothing of yours was applied.')
  }
}

const ATTEMPTS = 3

/** Gives the role as long as the service account has the one that was shown; its name may have changed meanwhile. */
async function changeRoleOf(shown: Shown, roleId: string, attempt = 1): Promise<Shown> {
  const { data, etag } = await taggedAnswer(api.v1['service-accounts']({ id: shown.id }).get())
  const latest = data
  if (latest.role.id !== shown.role.id) throw new OtherRole(latest.role)
  try {
    return await changeAccount(shown.id, etag, { role_id: roleId })
  } catch (error) {
    if (isStatus(error, 412) && attempt < ATTEMPTS) return changeRoleOf(shown, roleId, attempt + 1)
    throw error
  }
}
