import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { asRoleHolder } from '../api/me.ts'
import { ButtonLink } from '../components/button.tsx'
import { Form } from '../components/form.tsx'
import { PageHead } from '../components/page-head.tsx'
import { Banner, SkeletonTable } from '../components/pieces.tsx'
import { useToast } from '../components/toast.tsx'
import { PageProblem } from '../shell/problems.tsx'
import { useViewer } from '../shell/viewer.ts'
import { beyondViewer, type RoleState } from './draft.ts'
import { createRole, type Role, roleQuery, stateOf } from './queries.ts'
import { RoleFields } from './role-fields.tsx'
import { RoleMatrix } from './role-matrix.tsx'

const route = getRouteApi('/shell/roles/new')
const NOTHING: RoleState = { name: '', description: '', color: '', allowed: new Set() }

/** Makes a custom role, from nothing or like another one. */
export function NewRolePage() {
  const { from }: { from?: string } = route.useSearch()
  const { data, error } = useQuery({ ...roleQuery(from ?? ''), enabled: from !== undefined })
  if (from === undefined) return <NewRole like={null} />
  if (error !== null) return <PageProblem error={error} reset={() => {}} />
  return data === undefined ? <SkeletonTable /> : <NewRole key={from} like={data.data} />
}

function NewRole({ like }: { like: Role | null }) {
  const viewer = asRoleHolder(useViewer())
  const start = like === null ? NOTHING : stateOf(like)
  const allowed = new Set([...start.allowed].filter((key) => beyondViewer(viewer, key) === null))
  const left = start.allowed.size - allowed.size
  const [state, setState] = useState<RoleState>({
    ...start,
    name: like === null ? '' : `${like.name} 2`.slice(-64),
    color: like?.color ?? '',
    allowed,
  })
  const create = useCreate(state)
  return (
    <>
      <PageHead
        title={like === null ? 'New role' : `New role like ${like.name}`}
        crumbs={[{ label: 'Roles', to: '/roles' }]}
        text="A role says what its holders may do; where, their access says. It can be changed later."
      />
      {left > 0 && (
        <Banner icon="lock">
          {left} of its permissions are left out: your own role does not allow them, so you can’t hand them
          out.
        </Banner>
      )}
      <Form
        className={left > 0 ? 'mt-4' : ''}
        act="Create the role"
        disabledBecause={state.name.trim() === '' ? 'A role needs a name.' : null}
        onSubmit={create}
        aside={
          <ButtonLink kind="quiet" to="/roles">
            Cancel
          </ButtonLink>
        }
      >
        <RoleFields autoFocus state={state} onChange={setState} />
        <div className="mb-5">
          <RoleMatrix before={NOTHING.allowed} state={state} onChange={setState} />
        </div>
      </Form>
    </>
  )
}

/** Creates the role, and opens it. */
function useCreate(state: RoleState): () => Promise<void> {
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const toast = useToast()
  return async () => {
    const role = await createRole(state)
    await queryClient.invalidateQueries({ queryKey: ['roles'] })
    await navigate({ to: '/roles/$roleId', params: { roleId: role.id } })
    toast(`The role ${role.name} was created.`)
  }
}
