import { useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { assignRole } from '../../../core/members/policy.ts'
import { refusalBy } from '../../../core/policy.ts'
import { asRoleHolder } from '../api/me.ts'
import type { Option } from '../components/select.tsx'
import { roleOptions, useRoles } from '../roles/role-options.tsx'
import { RoleSelect } from '../roles/role-select.tsx'
import { useViewer } from '../shell/viewer.ts'
import { patchMember } from './member-cache.ts'
import { nameOf } from './names.ts'
import { changeRole, type MemberRef } from './queries.ts'

/** The roles that members can be given, each with what it means, or why the viewer can't give it. */
export function useMemberRoles(): Option<string>[] {
  const viewer = useViewer()
  const { data: roles } = useRoles()
  // The same ones until a role changes: every row of the list has them.
  return useMemo(() => {
    const actor = asRoleHolder(viewer)
    return roleOptions(roles ?? [], (kind) => refusalBy(assignRole, { actor, kind })?.message ?? null)
  }, [viewer, roles])
}

type MemberRoleProps = {
  member: MemberRef
  options: readonly Option<string>[]
  refusal: string | null
  bare?: boolean
}

/** A member's role, changed in place. */
export function MemberRole({ member, ...rest }: MemberRoleProps) {
  const queryClient = useQueryClient()
  return (
    <RoleSelect
      {...rest}
      holder={member}
      name={nameOf(member)}
      change={changeRole}
      onChanged={(changed) => patchMember(queryClient, changed)}
      onKept={() => void queryClient.invalidateQueries({ queryKey: ['members'] })}
    />
  )
}
