import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Outlet, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { remove as removePolicy } from '../../../core/members/policy.ts'
import { refusalBy } from '../../../core/policy.ts'
import { asRoleHolder, can, kindOf, type Viewer } from '../api/me.ts'
import { exactDay } from '../components/date-time.tsx'
import { type MenuEntry, MoreMenu } from '../components/menu.tsx'
import { PageHead, Tabs } from '../components/page-head.tsx'
import { Avatar, RoleName, SkeletonTable } from '../components/pieces.tsx'
import { rolesQuery } from '../roles/role-options.ts'
import { PageProblem } from '../shell/problems.tsx'
import { useViewer } from '../shell/viewer.ts'
import { type MemberRef, memberQuery, nameOf } from './queries.ts'
import { RemoveDialog } from './remove-dialog.tsx'
import { RoleSelect, roleChangeRefusal, useRoleOptions } from './role-select.tsx'

const route = getRouteApi('/shell/members/$memberId')

/** A member: who it is, its role, and below the part of it that the address names. */
export function MemberPage() {
  const { memberId } = route.useParams()
  const { data, error } = useQuery(memberQuery(memberId))
  if (error !== null) return <PageProblem error={error} reset={() => {}} />
  if (data === undefined) return <SkeletonTable />
  return <MemberHead member={data.data} />
}

type HeadProps = { member: MemberRef & { createdAt: string } }

function MemberHead({ member }: HeadProps) {
  const viewer = useViewer()
  const params = { memberId: member.id }
  const name = nameOf(member)
  return (
    <>
      <PageHead
        title={name}
        crumbs={[{ label: 'Members', to: '/members' }]}
        mark={<Avatar name={name} large />}
        text={
          <>
            {name === member.email ? 'J' : `${member.email}, j`}oined {exactDay(member.createdAt)}
            {member.id === viewer.id && '. This is you.'}
          </>
        }
      >
        <MemberActs member={member} />
      </PageHead>
      <Tabs
        label={name}
        tabs={[
          { label: 'Access', to: '/members/$memberId/access', params },
          ...(can(viewer, 'read', 'Logs')
            ? [{ label: 'Activity', to: '/members/$memberId/activity' as const, params }]
            : []),
        ]}
      />
      <Outlet />
    </>
  )
}

function MemberActs({ member }: HeadProps) {
  const viewer = useViewer()
  const navigate = useNavigate()
  const options = useRoleOptions()
  const { data: roles = [] } = useQuery(rolesQuery)
  const [isRemoving, setRemoving] = useState(false)
  const canChangeRole = can(viewer, 'update', 'Members') && roles.length > 0
  const role = roles.find(({ id }) => id === member.role.id)
  const entries = entriesFor(
    viewer,
    { id: member.id, kind: role === undefined ? 'custom' : kindOf(role) },
    {
      onRemove: () => setRemoving(true),
      onTransfer: () => void navigate({ to: '/settings/$section', params: { section: 'organisation' } }),
    },
  )
  return (
    <>
      <span className="dim">Role</span>
      {canChangeRole ? (
        <RoleSelect member={member} options={options} refusal={roleChangeRefusal(viewer, member, roles)} />
      ) : (
        <RoleName name={member.role.name} color={role?.color ?? ''} />
      )}
      {entries.length > 0 && <MoreMenu label={`More for ${nameOf(member)}`} entries={entries} />}
      <RemoveDialog
        member={isRemoving ? member : null}
        onClose={() => setRemoving(false)}
        onRemoved={() => void navigate({ to: '/members' })}
      />
    </>
  )
}

type Target = { id: string; kind: ReturnType<typeof kindOf> }

/** The acts on one member; what the viewer's role doesn't allow at all is left out. */
export function entriesFor(
  viewer: Viewer,
  member: Target,
  { onRemove, onTransfer }: { onRemove: () => void; onTransfer: () => void },
): MenuEntry[] {
  const actor = asRoleHolder(viewer)
  const transfer: MenuEntry = { label: 'Transfer ownership…', icon: 'role', onClick: onTransfer }
  return [
    ...(actor.role.kind === 'owner' && member.id !== viewer.id ? [transfer] : []),
    ...(can(viewer, 'delete', 'Members')
      ? [
          {
            label: 'Remove…',
            icon: 'trash' as const,
            danger: true,
            disabledBecause: refusalBy(removePolicy, { actor, member })?.message ?? null,
            onClick: onRemove,
          },
        ]
      : []),
  ]
}
