import { useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { MarksKey } from '../access/marks.tsx'
import { messageOf } from '../api/errors.ts'
import { can } from '../api/me.ts'
import { usePagedList } from '../api/paging.ts'
import { Avatar, Banner, Empty, LoadMore, SkeletonTable } from '../components/pieces.tsx'
import { Head } from '../components/table.tsx'
import { useViewer } from '../shell/viewer.ts'
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
  const viewer = useViewer()
  const { appId } = route.useParams()
  const { data: app } = useSuspenseQuery(appQuery(appId))
  const list = usePagedList(appAccessQuery(appId))
  if (list.isPending) return <SkeletonTable columns={4} />
  if (list.error !== null) return <Banner tone="remove">{messageOf(list.error)}</Banner>
  const readers = readersOf(list.rows)
  if (readers.length === 0)
    return <Empty title="Nobody can open this app">Give somebody access on their page.</Empty>
  const mayChange = {
    people: can(viewer, 'update', 'Members'),
    machines: can(viewer, 'update', 'ServiceAccounts'),
  }
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
              {(mayChange.people || mayChange.machines) && (
                <th scope="col">
                  <span className="vh">Change</span>
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {readers.map((reader) => (
              <ReaderRow key={reader.id} reader={reader} environments={environments} mayChange={mayChange} />
            ))}
          </tbody>
        </table>
      </section>
      {list.hasMore && <LoadMore left={null} busy={list.isLoadingMore} onClick={list.loadMore} />}
      <div className="mt-3">
        <MarksKey />
      </div>
      <p className="dim small mt-3">
        Access is given on the page of each person and machine.
        {mayChange.people && (
          <>
            {' '}
            Whoever can’t open {name} yet is among the <Link to="/members">members</Link>.
          </>
        )}
      </p>
    </>
  )
}

type ReaderRowProps = {
  reader: Reader
  environments: readonly { id: string; name: string }[]
  mayChange: { people: boolean; machines: boolean }
}

function ReaderRow({ reader, environments, mayChange }: ReaderRowProps) {
  return (
    <tr>
      <th scope="row">
        <span className="who">
          <Avatar name={reader.name} machine={reader.isMachine} />
          <span>
            <Link {...pageOf(reader)}>{reader.name}</Link>{' '}
            <span className="faint reader-role">{reader.role}</span>
          </span>
        </span>
      </th>
      {environments.map((environment) => {
        const way = wayOf(reader, environment)
        return (
          <td key={environment.id} className="c">
            <i className={`hm ${CLASSES[way]}`} role="img" aria-label={way} />
          </td>
        )
      })}
      {(mayChange.people || mayChange.machines) && (
        <td className="r nowrap">
          {mayChange[reader.isMachine ? 'machines' : 'people'] && !isByRole(reader) && (
            <Link {...pageOf(reader)} aria-label={`Change what ${reader.name} can open`}>
              Change
            </Link>
          )}
        </td>
      )}
    </tr>
  )
}

/** In the words of the overview of access. */
const wayOf = ({ via }: Reader, { id }: { id: string }) =>
  (({ role: 'by role', grant: 'by grant', none: 'no' }) as const)[via.get(id) ?? 'none']
const CLASSES = { 'by role': 'r', 'by grant': 'g', no: '' }

/** What a role opens is not opened or closed one by one. */
const isByRole = ({ via }: Reader): boolean => [...via.values()].includes('role')

const pageOf = ({ id, isMachine }: Reader) =>
  isMachine
    ? ({ to: '/service-accounts/$accountId/access', params: { accountId: id } } as const)
    : ({ to: '/members/$memberId/access', params: { memberId: id } } as const)

type Pair = {
  principal: { type: string; id: string; name: string; role?: { name: string } }
  environmentId: string
  via: 'role' | 'grant'
}

/** People before machines, each by name. */
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
  return [...readers.values()].sort(
    (one, other) => Number(one.isMachine) - Number(other.isMachine) || one.name.localeCompare(other.name),
  )
}
