import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Outlet, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { can } from '../api/me.ts'
import { exactDay } from '../components/date-time.tsx'
import { MoreMenu } from '../components/menu.tsx'
import { PageHead, Tabs } from '../components/page-head.tsx'
import { Avatar, RoleName, SkeletonTable } from '../components/pieces.tsx'
import { useRoles } from '../roles/role-options.tsx'
import { PageProblem } from '../shell/problems.tsx'
import { useViewer } from '../shell/viewer.ts'
import { actsOn, memberMenu } from './member-acts.ts'
import { MemberRole, useMemberRoles } from './member-role.tsx'
import { nameOf } from './names.ts'
import { type MemberRef, memberQuery } from './queries.ts'
import { RemoveDialog } from './remove-dialog.tsx'

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
          can(viewer, 'read', 'Logs') && { label: 'Activity', to: '/members/$memberId/activity', params },
        ]}
      />
      <Outlet />
    </>
  )
}

function MemberActs({ member }: HeadProps) {
  const viewer = useViewer()
  const navigate = useNavigate()
  const options = useMemberRoles()
  const { data: roles = [] } = useRoles()
  const [isRemoving, setRemoving] = useState(false)
  const role = roles.find(({ id }) => id === member.role.id)
  const acts = actsOn(viewer, member, roles)
  const entries = memberMenu(acts, {
    onRemove: () => setRemoving(true),
    onTransfer: () => void navigate({ to: '/settings/$section', params: { section: 'organisation' } }),
  })
  return (
    <>
      <span className="dim">Role</span>
      {acts.mayChangeRole ? (
        <MemberRole member={member} options={options} refusal={acts.changeRefusal} />
      ) : (
        <RoleName name={member.role.name} color={role?.color ?? ''} />
      )}
      {(acts.mayTransfer || acts.mayRemove) && (
        <MoreMenu label={`More for ${nameOf(member)}`} entries={entries} />
      )}
      <RemoveDialog
        member={isRemoving ? member : null}
        onClose={() => setRemoving(false)}
        onRemoved={() => void navigate({ to: '/members' })}
      />
    </>
  )
}
