import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { hasGlobalAccess } from '../../../core/permissions.ts'
import { AccessAside } from '../access/access-aside.tsx'
import { AccessEditor } from '../access/access-editor.tsx'
import { accessQuery, saveAccess } from '../access/queries.ts'
import { kindOf } from '../api/me.ts'
import { SkeletonTable } from '../components/pieces.tsx'
import { useRoles } from '../roles/role-options.tsx'
import { nameOf } from './names.ts'
import { memberQuery } from './queries.ts'

const route = getRouteApi('/shell/members/$memberId/access')

/** What a member can open, and what its role lets it do there. */
export function MemberAccessPage() {
  const { memberId } = route.useParams()
  const { data: member } = useQuery(memberQuery(memberId))
  const { data: roles } = useRoles()
  if (member === undefined) return <SkeletonTable columns={5} />
  const { role } = member.data
  const known = roles?.find(({ id }) => id === role.id)
  const isGlobal =
    known === undefined ? role.name === 'Owner' || role.name === 'Admin' : hasGlobalAccess(kindOf(known))
  return (
    <div className="with-aside">
      <div>
        <AccessEditor
          key={memberId}
          kind="member"
          id={memberId}
          name={nameOf(member.data)}
          globalAccess={isGlobal}
          query={accessQuery('member', memberId)}
          save={saveAccess('member', memberId)}
        />
      </div>
      <AccessAside name={nameOf(member.data)} role={role} isGlobal={isGlobal} />
    </div>
  )
}
