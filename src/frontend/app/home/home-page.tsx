import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { messageOf } from '../api/errors.ts'
import { can, type Viewer } from '../api/me.ts'
import { daysOf } from '../audit/days.ts'
import { useNames } from '../audit/names.ts'
import { Sentence } from '../audit/sentence.tsx'
import { actorOf, sentenceOf } from '../audit/sentences.ts'
import { ButtonLink } from '../components/button.tsx'
import { Icon } from '../components/icon.tsx'
import { PageHead } from '../components/page-head.tsx'
import { Banner, Empty, SkeletonTable } from '../components/pieces.tsx'
import { Head } from '../components/table.tsx'
import { useViewer } from '../shell/viewer.ts'
import type { AttentionRow } from './attention-rows.ts'
import { FirstSteps } from './first-steps.tsx'
import { latestQuery } from './queries.ts'
import { useAttention } from './use-attention.ts'

/** What needs the viewer's attention, and what changed last. */
export function HomePage() {
  const viewer = useViewer()
  return (
    <>
      <PageHead title="Home" text={greeting(viewer)} />
      <FirstSteps />
      <div className="with-aside home">
        <NeedsAttention />
        {can(viewer, 'read', 'Logs') && <LatestChanges />}
      </div>
    </>
  )
}

const greeting = ({ name, role, organisation }: Viewer): string =>
  `${name} is ${role.name} of ${organisation.name}.`

function NeedsAttention() {
  const { rows, error, isPending, isRead } = useAttention()
  return (
    <section aria-labelledby="attention">
      <h2 id="attention">
        Needs attention {rows.length > 0 && <span className="faint num font-normal">{rows.length}</span>}
      </h2>
      {isPending && <SkeletonTable columns={2} />}
      {error !== null && <Banner tone="remove">{messageOf(error)}</Banner>}
      {isRead &&
        (rows.length === 0 ? (
          <Empty icon="check" title="Nothing needs you">
            No token or secret is about to expire, nobody was refused, and everybody can open something.
          </Empty>
        ) : (
          <AttentionTable rows={rows} />
        ))}
    </section>
  )
}

function AttentionTable({ rows }: { rows: readonly AttentionRow[] }) {
  return (
    <table className="list att">
      <caption className="vh">What needs attention, most urgent first</caption>
      <thead className="vh">
        <tr>
          <td />
          <Head>What</Head>
          <Head>What to do</Head>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ id, icon, what, why, act, to, search }) => (
          <tr key={id}>
            <td>
              <Icon name={icon} />
            </td>
            <th scope="row">
              {what}
              <br />
              <span className="small dim font-normal">{why}</span>
            </th>
            <td className="r nowrap">
              <ButtonLink size="sm" to={to} search={(search ?? {}) as never} aria-label={`${act}: ${what}`}>
                {act}
              </ButtonLink>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' })

function LatestChanges() {
  const { data: entries = [], isPending } = useQuery(latestQuery)
  const nameOf = useNames(entries)
  return (
    <section aria-labelledby="latest">
      <div className="row mb-2.5">
        <h2 id="latest">Latest changes</h2>
        <Link className="push small" to="/audit">
          Audit log
        </Link>
      </div>
      {isPending && <SkeletonTable columns={1} />}
      {!isPending && entries.length === 0 && <p className="small dim">Nothing was changed lately.</p>}
      {daysOf(entries).map((day) => (
        <div key={day.key}>
          <h3 className="small dim latest-day">{day.title}</h3>
          <ol>
            {day.entries.map((entry) => (
              <li key={entry.id} className="ev">
                <time className="faint num small" dateTime={entry.timestamp}>
                  {clock.format(new Date(entry.timestamp))}
                </time>
                <span>
                  <b>{actorOf(entry)}</b> <Sentence pieces={sentenceOf(entry, nameOf)} />
                </span>
              </li>
            ))}
          </ol>
        </div>
      ))}
    </section>
  )
}
