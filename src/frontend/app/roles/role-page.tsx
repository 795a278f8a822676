import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { refusalBy } from '../../../core/policy.ts'
import { update } from '../../../core/roles/policy.ts'
import { asRoleHolder, can, kindOf } from '../api/me.ts'
import { ChangeBar } from '../components/change-bar.tsx'
import { ConflictDialog } from '../components/conflict-dialog.tsx'
import { LeaveDialog } from '../components/leave-dialog.tsx'
import { PageHead } from '../components/page-head.tsx'
import { Banner, SkeletonTable } from '../components/pieces.tsx'
import { useToast } from '../components/toast.tsx'
import { PageProblem } from '../shell/problems.tsx'
import { useViewer } from '../shell/viewer.ts'
import { RoleChangeWords } from './change-words.tsx'
import { conflictLines } from './conflict-lines.ts'
import { holdersQuery, type Role, roleQuery, stateOf } from './queries.ts'
import { RoleActs } from './role-acts.tsx'
import { RoleFields } from './role-fields.tsx'
import { countOf, RoleHolders } from './role-holders.tsx'
import { RoleMatrix } from './role-matrix.tsx'
import { meaningOf } from './role-options.tsx'
import { useRoleDraft } from './use-role-draft.ts'

const route = getRouteApi('/shell/roles/$roleId')

/** A role: what it allows at both levels, who holds it, and why it can or can't be changed. */
export function RolePage() {
  const { roleId } = route.useParams()
  const viewer = useViewer()
  const { data, error } = useQuery(roleQuery(roleId))
  if (error !== null && data === undefined) return <PageProblem error={error} reset={() => {}} />
  if (data === undefined) return <SkeletonTable />
  const role = data.data
  const actor = asRoleHolder(viewer)
  const refusal = refusalBy(update, { actor, role: { id: role.id, kind: kindOf(role) } })?.message ?? null
  const mayEdit = can(viewer, 'update', 'Roles') && refusal === null
  return (
    <>
      <RoleHead role={role} etag={data.etag} />
      <RoleNotes role={role} refusal={can(viewer, 'update', 'Roles') ? refusal : null} />
      {mayEdit ? (
        <RoleEditor key={role.id} tagged={{ data: role, etag: data.etag }} />
      ) : (
        <RoleMatrix before={stateOf(role).allowed} state={stateOf(role)} />
      )}
    </>
  )
}

function RoleHead({ role, etag }: { role: Role; etag: string }) {
  return (
    <PageHead
      title={role.name}
      crumbs={[{ label: 'Roles', to: '/roles' }]}
      mark={
        <span className="role large" aria-hidden="true">
          <i style={role.color === '' ? undefined : ({ '--c': role.color } as object)} />
        </span>
      }
      text={role.isDefault ? meaningOf(role) : (role.description ?? 'A custom role, without a description.')}
    >
      <RoleActs role={role} etag={etag} />
    </PageHead>
  )
}

/** Who holds the role, whether it opens everything, and why it can't be changed. */
function RoleNotes({ role, refusal }: { role: Role; refusal: string | null }) {
  const { data: holders } = useQuery(holdersQuery(role.id, useViewer()))
  return (
    <div className="grid gap-2">
      <p>
        <span className="dim">Held by: </span>
        {holders === undefined ? '…' : <RoleHolders roleId={role.id} holders={holders} />}
      </p>
      <p>
        <span className="dim">Global access: </span>
        {role.permissions.globalAccess
          ? 'yes. Whoever holds it opens every app and environment, also those made later.'
          : 'no. Whoever holds it opens only what was given to them; custom roles never have it.'}
      </p>
      {refusal !== null && (
        <Banner icon="lock">
          {refusal} {role.isDefault && 'Duplicate it to get a role that you can change.'}
        </Banner>
      )}
    </div>
  )
}

function RoleEditor({ tagged }: { tagged: { data: Role; etag: string } }) {
  const toast = useToast()
  const draft = useRoleDraft(tagged, () => toast('The role was changed. It holds from the next request on.'))
  const { data: holders } = useQuery(holdersQuery(tagged.data.id, useViewer()))
  return (
    <>
      <details className="mt-5">
        <summary className="cursor-pointer">Name, description and colour</summary>
        <div className="pt-4">
          <RoleFields
            state={draft.state}
            onChange={draft.edit}
            nameError={draft.state.name.trim() === '' ? 'A role needs a name.' : null}
          />
        </div>
      </details>
      <RoleMatrix before={draft.before.allowed} state={draft.state} onChange={draft.edit} />
      {draft.isChanged && (
        <ChangeBar
          sentence={<RoleChangeWords change={draft.change} state={draft.state} holders={countOf(holders)} />}
          consequence="It holds from their next request on."
          busy={draft.busy}
          refusal={draft.refusal}
          disabledBecause={draft.state.name.trim() === '' ? 'A role needs a name.' : null}
          onApply={draft.save}
          onDiscard={draft.discard}
        />
      )}
      <LeaveDialog isDirty={draft.isChanged && !draft.busy} what="Your changes of this role" />
      <ConflictDialog
        open={draft.conflict !== null}
        title="This role was changed while you were editing"
        lines={draft.conflict === null ? [] : conflictLines(draft.conflict)}
        onKeepTheirs={draft.dropMine}
        onKeepEditing={draft.keepEditing}
        onApplyMine={draft.applyOnTop}
      >
        <p>Applied on top, yours keeps what they changed elsewhere.</p>
      </ConflictDialog>
    </>
  )
}
