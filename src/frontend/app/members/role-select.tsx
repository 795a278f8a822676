import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { assignRole, changeRole as changeRolePolicy } from '../../../core/members/policy.ts'
import { refusalBy } from '../../../core/policy.ts'
import { messageOf } from '../api/errors.ts'
import { asRoleHolder, kindOf, type Viewer } from '../api/me.ts'
import { Button } from '../components/button.tsx'
import { Dialog } from '../components/dialog.tsx'
import { RoleName } from '../components/pieces.tsx'
import { type Option, Select } from '../components/select.tsx'
import { useToast } from '../components/toast.tsx'
import { roleOptions, rolesQuery } from '../roles/role-options.ts'
import { useViewer } from '../shell/viewer.ts'
import { patchMember } from './member-cache.ts'
import {
  changeRole,
  firstNameOf,
  type MemberRef,
  nameOf,
  type RoleReference,
  RoleWasChanged,
} from './queries.ts'

/** The roles that members can be given, each with what it means, or why the viewer can't give it. */
export function useRoleOptions(): Option<string>[] {
  const viewer = useViewer()
  const { data: roles } = useQuery(rolesQuery)
  // The same ones until a role changes: every row of the list has them.
  return useMemo(() => {
    const actor = asRoleHolder(viewer)
    return roleOptions(
      roles ?? [],
      (kind) => refusalBy(assignRole, { actor, kind })?.message ?? null,
      ({ name, color }) => <RoleName name={name} color={color} />,
    )
  }, [viewer, roles])
}

type Roles = readonly { id: string; name: string; isDefault: boolean; color: string }[]

/** Why the viewer can't change a member's role, a sentence; null where it can. */
export function roleChangeRefusal(viewer: Viewer, member: MemberRef, roles: Roles): string | null {
  const role = roles.find(({ id }) => id === member.role.id)
  const kind = role === undefined ? 'custom' : kindOf(role)
  return (
    refusalBy(changeRolePolicy, { actor: asRoleHolder(viewer), member: { id: member.id, kind } })?.message ??
    null
  )
}

type RoleSelectProps = {
  member: MemberRef
  options: readonly Option<string>[]
  refusal: string | null
  bare?: boolean
}

/** A member's role, changed in place: at once, with a way back. */
export function RoleSelect({ member, options, refusal, bare = false }: RoleSelectProps) {
  const queryClient = useQueryClient()
  const toast = useToast()
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<{
    message: string
    wanted: string
    now: RoleReference | null
  } | null>(null)

  const change = async (shown: MemberRef, roleId: string, isUndo = false): Promise<void> => {
    setBusy(true)
    try {
      const changed = await changeRole(shown, roleId)
      patchMember(queryClient, changed)
      toast(
        `${nameOf(changed)} is ${article(changed.role.name)} ${changed.role.name} now.`,
        isUndo
          ? undefined
          : {
              label: 'Undo',
              onClick: () => void change(changed, shown.role.id, true),
            },
      )
    } catch (error) {
      const now = error instanceof RoleWasChanged ? error.roleNow : null
      setProblem({ message: messageOf(error), wanted: roleId, now })
    } finally {
      setBusy(false)
    }
  }
  const shown = options.find(({ value }) => value === member.role.id)
  // The Owner's role is no option, and yet somebody holds it.
  const all =
    shown === undefined
      ? [{ value: member.role.id, label: <RoleName name={member.role.name} /> }, ...options]
      : options
  return (
    <>
      <Select
        label={`Role of ${nameOf(member)}: ${member.role.name}`}
        value={member.role.id}
        options={all}
        bare={bare}
        disabledBecause={refusal ?? (isBusy ? 'The role is being changed.' : null)}
        onChange={(roleId) => roleId !== member.role.id && void change(member, roleId)}
      />
      <Dialog
        open={problem !== null}
        onClose={() => setProblem(null)}
        title={
          problem?.now === null
            ? 'The role was not changed'
            : `The role of ${firstNameOf(member)} was changed meanwhile`
        }
        text={problem?.now === null ? problem.message : undefined}
        acts={
          <RoleConflictActs
            now={problem?.now ?? null}
            wanted={options.find(({ value }) => value === problem?.wanted)?.label}
            onKeep={() => {
              setProblem(null)
              void queryClient.invalidateQueries({ queryKey: ['members'] })
            }}
            onChange={() => {
              if (problem?.now) void change({ ...member, role: problem.now }, problem.wanted)
              setProblem(null)
            }}
          />
        }
      >
        {problem?.now && (
          <dl className="pair">
            <dt>You saw</dt>
            <dd>{member.role.name}</dd>
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

type ConflictActsProps = {
  now: RoleReference | null
  wanted: Option<string>['label']
  onKeep: () => void
  onChange: () => void
}

function RoleConflictActs({ now, wanted, onKeep, onChange }: ConflictActsProps) {
  if (now === null) return <Button onClick={onKeep}>Close</Button>
  return (
    <>
      <Button onClick={onKeep}>Keep {now.name}</Button>
      <Button kind="primary" onClick={onChange}>
        Change to {wanted}
      </Button>
    </>
  )
}

const article = (noun: string): string => (/^[aeiou]/i.test(noun) ? 'an' : 'a')
