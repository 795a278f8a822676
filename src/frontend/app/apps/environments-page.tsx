import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { messageOf } from '../api/errors.ts'
import { canInApps } from '../api/me.ts'
import { DateTime } from '../components/date-time.tsx'
import { MoreMenu } from '../components/menu.tsx'
import { Badge, Banner, Empty, SkeletonTable } from '../components/pieces.tsx'
import { Head } from '../components/table.tsx'
import { counted } from '../components/words.ts'
import { useViewer } from '../shell/viewer.ts'
import { DeleteEnvironment, NewEnvironment, RenameEnvironment } from './environment-forms.tsx'
import { environmentsQuery } from './queries.ts'

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
              <Head>Name</Head>
              <Head>Kind</Head>
              <Head right wide>
                Secrets
              </Head>
              <Head wide mid>
                Secrets changed
              </Head>
              <Head wide>Can open it</Head>
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
                      {counted(told.peopleCount, 'person', 'people')},{' '}
                      {counted(told.machineCount ?? 0, 'machine')}
                    </Link>
                  )}
                </td>
                <td className="r">
                  {(mayRename || mayDelete) && (
                    <MoreMenu
                      label={`More for ${name}`}
                      entries={[
                        mayRename && {
                          label: 'Rename',
                          icon: 'pencil',
                          onClick: () => setAsked({ act: 'rename', id, name }),
                        },
                        mayDelete && {
                          label: 'Delete',
                          icon: 'trash',
                          danger: true,
                          onClick: () => setAsked({ act: 'delete', id, name }),
                        },
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
      {asked?.act === 'rename' && <RenameEnvironment environment={asked} onClose={() => setAsked(null)} />}
      {asked?.act === 'delete' && <DeleteEnvironment environment={asked} onClose={() => setAsked(null)} />}
    </>
  )
}
