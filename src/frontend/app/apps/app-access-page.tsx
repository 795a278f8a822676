import { useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { messageOf } from '../api/errors.ts'
import { usePagedList } from '../api/paging.ts'
import { Cell } from '../components/cell.tsx'
import { Avatar, Banner, Empty, LoadMore, SkeletonTable } from '../components/pieces.tsx'
import { Head } from '../components/table.tsx'
import { appAccessQuery, appQuery } from './queries.ts'

const route = getRouteApi('/shell/apps/$appId/access')

type Reader = {
  id: string
  name: string
  isMachine: boolean
  role: string
  via: Map<string, 'role' | 'grant'>
}

/** People and machines × the environments of one app: who can open it, and whether by role or by grant. */
export function AppAccessPage() {
  const { appId } = route.useParams()
  const { data: app } = useSuspenseQuery(appQuery(appId))
  const list = usePagedList(appAccessQuery(appId))
  if (list.isPending) return <SkeletonTable columns={4} />
  if (list.error !== null) return <Banner tone="remove">{messageOf(list.error)}</Banner>
  const readers = readersOf(list.rows)
  if (readers.length === 0)
    return <Empty title="Nobody can open this app">Give somebody access on their page.</Empty>
  const { environments, name } = app.data
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways must be reachable by the keyboard */}
      <section className="scroll-x" aria-label={`Who can open ${name}`} tabIndex={0}>
        <table className="matrix">
          <caption className="vh">Who can open {name}</caption>
          <thead>
            <tr>
              <Head>Name</Head>
              {environments.map((environment) => (
                <th key={environment.id} scope="col" className="c">
                  {environment.name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {readers.map((reader) => (
              <tr key={reader.id}>
                <th scope="row">
                  <span className="who">
                    <Avatar name={reader.name} machine={reader.isMachine} />
                    <span>
                      <Link {...pageOf(reader)}>{reader.name}</Link>{' '}
                      <span className="faint reader-role">{reader.role}</span>
                    </span>
                  </span>
                </th>
                {environments.map((environment) => (
                  <td key={environment.id} className="c">
                    <Cell
                      state={stateOf(reader.via.get(environment.id))}
                      label={`${reader.name}, ${environment.name}`}
                    />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {list.hasMore && <LoadMore left={null} busy={list.isLoadingMore} onClick={list.loadMore} />}
      <p className="key mt-3">Access is given on the page of each person and machine.</p>
    </>
  )
}

const stateOf = (via: 'role' | 'grant' | undefined) =>
  via === undefined ? 'closed' : via === 'role' ? 'by-role' : 'open'

const pageOf = ({ id, isMachine }: Reader) =>
  isMachine
    ? ({ to: '/service-accounts/$accountId/access', params: { accountId: id } } as const)
    : ({ to: '/members/$memberId/access', params: { memberId: id } } as const)

type Pair = {
  principal: { type: string; id: string; name: string; role?: { name: string } }
  environmentId: string
  via: 'role' | 'grant'
}

function readersOf(pairs: readonly Pair[]): Reader[] {
  const readers = new Map<string, Reader>()
  for (const { principal, environmentId, via } of pairs) {
    const { id, name, type, role } = principal
    const reader = readers.get(id) ?? {
      id,
      name,
      isMachine: type === 'service_account',
      role: role?.name ?? '',
      via: new Map(),
    }
    reader.via.set(environmentId, via)
    readers.set(id, reader)
  }
  return [...readers.values()]
}
