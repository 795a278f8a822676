import { Fragment, memo, useMemo, useRef } from 'react'
import { RowLink } from '../components/row-link.tsx'
import { Gap, useVirtualRows } from '../components/virtual-rows.tsx'
import type { Mark, OverviewApp, OverviewRow } from './overview.ts'

/** A Production that more can open is marked. */
export const MANY = 8

const ROW_HEIGHT = 29
const SHORT: Record<string, string> = { dev: 'dev', staging: 'stg', prod: 'prod' }
const WORDS: Record<Mark, string> = { r: 'by role', g: 'by grant', '-': 'no', '?': 'not read yet' }

type OverviewTableProps = {
  apps: readonly OverviewApp[]
  rows: readonly OverviewRow[]
  totals: readonly number[]
  /** Whether everything about these apps was read. */
  isWhole: boolean
}

type Line = { group: string; count: number } | OverviewRow

/** People and machines against environments; scrolls in a frame of its own, and draws only the rows in sight. */
export function OverviewTable({ apps, rows, totals, isWhole }: OverviewTableProps) {
  const frame = useRef<HTMLDivElement>(null)
  const lines = useMemo(() => inGroups(rows), [rows])
  const { indexes, gaps, end, measure } = useVirtualRows({
    count: lines.length,
    frame,
    rowHeight: ROW_HEIGHT,
  })
  const firsts = useMemo(() => firstColumns(apps), [apps])
  const columns = totals.length + 3
  return (
    <section
      className="scroll-x matrix-frame"
      ref={frame}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached with the keyboard
      tabIndex={0}
      aria-label="Access of people and machines"
    >
      <table className="matrix heat" aria-rowcount={lines.length + 3}>
        <caption className="vh">
          People and machines against environments. A filled mark is a grant, a dotted mark comes from the
          role.
        </caption>
        <Head apps={apps} />
        <tbody>
          {indexes.map((place) => {
            const line = lines[place]
            if (line === undefined) return null
            const key = 'group' in line ? line.group : line.id
            return (
              <Fragment key={key}>
                <Gap height={gaps.get(place) ?? 0} columns={columns} />
                {'group' in line ? (
                  <tr ref={measure} data-index={place} aria-rowindex={place + 3} className="group">
                    <th scope="row">
                      {line.group} <span className="faint num font-normal">{line.count}</span>
                    </th>
                    <td colSpan={columns - 1} />
                  </tr>
                ) : (
                  <HeatRow row={line} place={place} firsts={firsts} measure={measure} />
                )}
              </Fragment>
            )
          })}
          <Gap height={end} columns={columns} />
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">
              {isWhole ? 'Can open it, of these' : 'Can open it, as far as read, of these'} {rows.length}
            </th>
            <td className="wide" />
            {apps
              .flatMap((app) => app.environments)
              .map((environment, column) => {
                const total = totals[column] ?? 0
                const isHot = environment.envType === 'prod' && total > MANY
                return (
                  <td
                    key={environment.id}
                    className={`h num small ${firsts.has(column) ? 'f' : ''} ${isHot ? 'hot' : ''}`}
                  >
                    {total}
                  </td>
                )
              })}
            <td />
          </tr>
        </tfoot>
      </table>
    </section>
  )
}

function Head({ apps }: { apps: readonly OverviewApp[] }) {
  return (
    <thead>
      <tr>
        <th scope="col" rowSpan={2}>
          Name
        </th>
        <th scope="col" rowSpan={2} className="wide">
          Role
        </th>
        {apps.map((app) => (
          <th key={app.id} scope="colgroup" colSpan={app.environments.length} className="c f">
            <span className="app-name" style={{ maxWidth: app.environments.length * 32 }} title={app.name}>
              {app.name}
            </span>
          </th>
        ))}
        <th scope="col" rowSpan={2} className="r">
          All
        </th>
      </tr>
      <tr>
        {apps.map((app) =>
          app.environments.map((environment, at) => (
            <th key={environment.id} scope="col" className={at === 0 ? 'c e f' : 'c e'}>
              <abbr title={`${app.name}, ${environment.name}`}>
                {SHORT[environment.envType] ?? environment.name.slice(0, 4)}
              </abbr>
            </th>
          )),
        )}
      </tr>
    </thead>
  )
}

type HeatRowProps = {
  row: OverviewRow
  place: number
  firsts: ReadonlySet<number>
  measure: (element: HTMLElement | null) => void
}

const HeatRow = memo(function HeatRow({ row, place, firsts, measure }: HeatRowProps) {
  return (
    <tr ref={measure} data-index={place} aria-rowindex={place + 3}>
      <th scope="row">
        <RowLink href={`/${row.isMachine ? 'service-accounts' : 'members'}/${row.id}/access`}>
          {row.name}
        </RowLink>
      </th>
      <td className="dim small nowrap wide">{row.role.name}</td>
      {[...row.marks].map((mark, column) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a column is its place
        <td key={column} className={firsts.has(column) ? 'h f' : 'h'}>
          <i
            className={mark === 'r' || mark === 'g' ? mark : mark === '?' ? 'u' : undefined}
            role="img"
            aria-label={WORDS[mark as Mark]}
          />
        </td>
      ))}
      <td className="r num dim">{row.open}</td>
    </tr>
  )
})

function inGroups(rows: readonly OverviewRow[]): Line[] {
  const people = rows.filter(({ isMachine }) => !isMachine)
  const machines = rows.filter(({ isMachine }) => isMachine)
  return [
    ...(people.length === 0 ? [] : [{ group: 'People', count: people.length }, ...people]),
    ...(machines.length === 0 ? [] : [{ group: 'Machines', count: machines.length }, ...machines]),
  ]
}

/** The columns with which an app begins. */
function firstColumns(apps: readonly OverviewApp[]): ReadonlySet<number> {
  let column = 0
  return new Set(
    apps.map(({ environments }) => {
      const first = column
      column += environments.length
      return first
    }),
  )
}
