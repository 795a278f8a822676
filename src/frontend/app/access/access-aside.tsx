import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Action, AppClass } from '../../../core/permissions.ts'
import { answer, api } from '../api/client.ts'
import { can } from '../api/me.ts'
import { Cell, type CellState } from '../components/cell.tsx'
import { Icon } from '../components/icon.tsx'
import { useViewer } from '../shell/viewer.ts'

type AccessAsideProps = { name: string; role: { id: string; name: string }; isGlobal: boolean }

/** Says what a cell of the matrix means: where somebody may go, and what its role lets it do there. */
export function AccessAside({ name, role, isGlobal }: AccessAsideProps) {
  const viewer = useViewer()
  const mayReadRoles = can(viewer, 'read', 'Roles')
  return (
    <aside className="aside" aria-label="What this means">
      <h2>Where</h2>
      {isGlobal ? (
        <p>The {role.name} role opens every app and environment by itself.</p>
      ) : (
        <>
          <p>
            The {role.name} role opens no environment by itself. Each cell here is a grant to {name}.
          </p>
          <p>As Admin or Owner, every cell would be open by role and could not be closed one by one.</p>
        </>
      )}
      {mayReadRoles && <WhatThere role={role} />}
      <h2>Marks</h2>
      <div className="key flex-col gap-2!">
        {MARKS.map(({ state, words }) => (
          <span key={state}>
            <Cell state={state} label={`Mark, ${words}`} tabIndex={-1} />
            {words}
          </span>
        ))}
      </div>
    </aside>
  )
}

const MARKS: readonly { state: CellState; words: string }[] = [
  { state: 'open', words: 'Open by grant' },
  { state: 'by-role', words: 'Open by role' },
  { state: 'added', words: 'Will open' },
  { state: 'removed', words: 'Will close' },
  { state: 'locked', words: 'You can’t open it, so you can’t grant it' },
]

type Deed = { resourceClass: AppClass; actions: readonly Action[]; yes: string; no: string }

const DEEDS: readonly Deed[] = [
  { resourceClass: 'Secrets', actions: ['read'], yes: 'Read secrets', no: 'Not read secrets' },
  {
    resourceClass: 'Secrets',
    actions: ['create', 'update', 'delete'],
    yes: 'Write and delete secrets',
    no: 'Not write and delete secrets',
  },
  {
    resourceClass: 'Environments',
    actions: ['create', 'update'],
    yes: 'Create and rename environments',
    no: 'Not create and rename environments',
  },
  {
    resourceClass: 'Environments',
    actions: ['delete'],
    yes: 'Delete environments',
    no: 'Not delete environments',
  },
]

function WhatThere({ role }: { role: { id: string; name: string } }) {
  const { data } = useQuery({
    queryKey: ['roles', role.id],
    queryFn: () => answer(api.v1.roles({ id: role.id }).get()),
    staleTime: 30_000,
  })
  if (data === undefined) return null
  const { permissions, appPermissions } = data.permissions
  const mayGive = permissions.Members?.includes('update') ?? false
  const deeds = [
    ...DEEDS.map(({ resourceClass, actions, yes, no }) => {
      const isAllowed = actions.every((action) => appPermissions[resourceClass]?.includes(action))
      return { isAllowed, words: isAllowed ? yes : no }
    }),
    { isAllowed: mayGive, words: mayGive ? 'Give access to others' : 'Not give access to others' },
  ]
  return (
    <>
      <h2>What the role allows there</h2>
      <ul>
        {deeds.map(({ isAllowed, words }) => (
          <li key={words}>
            <Icon name={isAllowed ? 'check' : 'minus'} small />
            {words}
          </li>
        ))}
      </ul>
      <p className="small mt-2!">
        <Link to="/roles/$roleId" params={{ roleId: role.id }}>
          All of {role.name}
        </Link>
      </p>
    </>
  )
}
