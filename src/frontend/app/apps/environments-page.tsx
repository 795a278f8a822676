import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { messageOf } from '../api/errors.ts'
import { canInApps } from '../api/me.ts'
import { useAct } from '../components/act.ts'
import { Button } from '../components/button.tsx'
import { DateTime } from '../components/date-time.tsx'
import { ConfirmDialog } from '../components/dialog.tsx'
import { Field, Input } from '../components/field.tsx'
import { MoreMenu } from '../components/menu.tsx'
import { Badge, Banner, Empty, SkeletonTable } from '../components/pieces.tsx'
import { useToast } from '../components/toast.tsx'
import { useViewer } from '../shell/viewer.ts'
import { createEnvironment, deleteEnvironment, environmentsQuery, renameEnvironment } from './queries.ts'

const route = getRouteApi('/shell/apps/$appId/environments')

const TYPES = { dev: 'development', staging: 'staging', prod: 'production', custom: 'custom' } as const

type Asked = { act: 'rename' | 'delete'; id: string; name: string }

/** The environments of an app that the viewer can open, with what each holds and who opens it. */
export function EnvironmentsPage() {
  const viewer = useViewer()
  const { appId } = route.useParams()
  const { data: environments, error, isPending } = useQuery(environmentsQuery(appId))
  const [asked, setAsked] = useState<Asked | null>(null)
  const mayRename = canInApps(viewer, 'update', 'Environments')
  const mayDelete = canInApps(viewer, 'delete', 'Environments')
  if (isPending) return <SkeletonTable columns={4} rows={3} />
  if (error !== null) return <Banner tone="remove">{messageOf(error)}</Banner>
  return (
    <>
      {environments.length === 0 ? (
        <Empty title="There is no environment that you can open">
          Ask somebody who can open them to give you access.
        </Empty>
      ) : (
        <table className="list">
          <caption className="vh">Environments</caption>
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Kind</th>
              <th scope="col" className="r wide">
                Secrets
              </th>
              <th scope="col" className="wide mid">
                Secrets changed
              </th>
              <th scope="col" className="wide">
                Can open it
              </th>
              <td />
            </tr>
          </thead>
          <tbody>
            {environments.map(({ id, name, envType, ...told }) => (
              <tr key={id}>
                <th scope="row">
                  <Link to="/apps/$appId/secrets" params={{ appId }}>
                    {name}
                  </Link>
                </th>
                <td>
                  <Badge>{TYPES[envType]}</Badge>
                </td>
                <td className="r num wide">{told.secretCount}</td>
                <td className="wide mid dim">
                  {told.secretCount !== undefined && <DateTime at={told.secretsChangedAt} />}
                </td>
                <td className="wide">
                  {told.peopleCount !== undefined && (
                    <Link className="plain" to="/access" search={{ app: appId }}>
                      {people(told.peopleCount)}, {machines(told.machineCount ?? 0)}
                    </Link>
                  )}
                </td>
                <td className="r">
                  {(mayRename || mayDelete) && (
                    <MoreMenu
                      label={`More for ${name}`}
                      entries={[
                        ...(mayRename
                          ? [
                              {
                                label: 'Rename',
                                icon: 'pencil' as const,
                                onClick: () => setAsked({ act: 'rename', id, name }),
                              },
                            ]
                          : []),
                        ...(mayDelete
                          ? [
                              {
                                label: 'Delete',
                                icon: 'trash' as const,
                                danger: true,
                                onClick: () => setAsked({ act: 'delete', id, name }),
                              },
                            ]
                          : []),
                      ]}
                    />
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {canInApps(viewer, 'create', 'Environments') && <NewEnvironment appId={appId} />}
      {asked !== null && <EnvironmentDialog asked={asked} onClose={() => setAsked(null)} />}
    </>
  )
}

function NewEnvironment({ appId }: { appId: string }) {
  const queryClient = useQueryClient()
  const toast = useToast()
  const [name, setName] = useState('')
  const { busy, problem, run } = useAct()
  const add = async () => {
    await createEnvironment(appId, name)
    await queryClient.invalidateQueries({ queryKey: ['apps'] })
    toast(`${name} was added. Whoever opens every app can open it, and so can you.`)
    setName('')
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void run(add)
  }
  return (
    <form className="form mt-8" onSubmit={submit}>
      <Field label="New environment" hint="Letters, digits, hyphens and underscores." error={problem}>
        <Input required maxLength={64} value={name} onChange={(event) => setName(event.target.value)} />
      </Field>
      <div>
        <Button type="submit" busy={busy}>
          Add the environment
        </Button>
      </div>
    </form>
  )
}

function EnvironmentDialog({ asked, onClose }: { asked: Asked; onClose: () => void }) {
  const queryClient = useQueryClient()
  const [name, setName] = useState(asked.name)
  const isRename = asked.act === 'rename'
  const confirm = async () => {
    await (isRename ? renameEnvironment(asked.id, name) : deleteEnvironment(asked.id))
    await queryClient.invalidateQueries({ queryKey: ['apps'] })
  }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      danger={!isRename}
      title={isRename ? `Rename ${asked.name}` : `Delete ${asked.name}?`}
      text={
        isRename
          ? 'Its kind stays. References and programs that name the environment need the new name.'
          : 'Its secrets, their history and its keys are gone for good, and nobody can open it any more.'
      }
      act={isRename ? 'Rename' : `Delete ${asked.name}`}
      disabledBecause={isRename && name.trim() === '' ? 'An environment needs a name.' : null}
      onConfirm={confirm}
    >
      {isRename && (
        <Field label="Name">
          <Input autoFocus value={name} maxLength={64} onChange={(event) => setName(event.target.value)} />
        </Field>
      )}
    </ConfirmDialog>
  )
}

const people = (count: number): string => (count === 1 ? '1 person' : `${count} people`)
const machines = (count: number): string => (count === 1 ? '1 machine' : `${count} machines`)
