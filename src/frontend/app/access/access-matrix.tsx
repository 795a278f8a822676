import { Fragment, useRef } from 'react'
import { Icon } from '../components/icon.tsx'
import { Menu } from '../components/menu.tsx'
import { Gap, useVirtualRows } from '../components/virtual-rows.tsx'
import { counted } from '../components/words.ts'
import { type CellFacts, canToggle, countOf, statesText } from './cell-states.ts'
import { COLUMNS, environmentsOf, type MatrixApp, type MatrixRow } from './matrix.ts'
import { useMatrixKeys } from './matrix-keys.ts'
import { AppRow, GroupRow } from './matrix-row.tsx'
import { Count } from './open-count.tsx'

type AccessMatrixProps = {
  /** Whose access it is. */
  name: string
  rows: readonly MatrixRow[]
  /** All apps, also those that a filter or a collapsed group hides: the heads count them. */
  apps: readonly MatrixApp[]
  /** Those that the search and the filter let pass: the menus of the heads open and close them. */
  found: readonly MatrixApp[]
  facts: CellFacts
  onToggle: (id: string) => void
  onSet: (ids: readonly string[], wanted: boolean) => void
  onToggleGroup: (name: string) => void
}

const ROW_HEIGHT = 34

/** The matrix of apps and environments, in a frame of its own that scrolls. */
export function AccessMatrix({
  name,
  rows,
  apps,
  found,
  facts,
  onToggle,
  onSet,
  onToggleGroup,
}: AccessMatrixProps) {
  const frame = useRef<HTMLDivElement>(null)
  const scroll = useRef<(row: number) => void>(() => {})
  const keys = useMatrixKeys(rows, {
    frame,
    scrollTo: (row) => scroll.current(row),
    onToggleGroup,
    onToggleBlock: (ids) => {
      const changeable = ids.filter((id) => canToggle(facts, id))
      const areOpen = changeable.every((id) => facts.draft.get(id) ?? facts.open.has(id))
      onSet(changeable, !areOpen)
    },
  })
  const { indexes, gaps, end, measure, scrollTo } = useVirtualRows({
    count: rows.length,
    frame,
    rowHeight: ROW_HEIGHT,
    pinned: keys.active.row,
  })
  scroll.current = scrollTo
  const canChange = facts.canChange && !facts.isByRole
  return (
    <div className="scroll-x matrix-frame" ref={frame}>
      <table
        className="matrix access"
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table that is edited is a grid
        role="grid"
        aria-rowcount={rows.length + 1}
        aria-multiselectable={canChange || undefined}
        {...keys.handlers}
      >
        <caption className="vh">Environments that {name} can open, by app</caption>
        <Head apps={apps} found={found} facts={facts} onSet={onSet} />
        <tbody>
          {indexes.map((place) => {
            const row = rows[place]
            if (row === undefined) return null
            const tabStop = keys.active.row === place ? keys.active.column : null
            const block = keys.blockIn(place)
            return (
              <Fragment key={row.key}>
                <Gap height={gaps.get(place) ?? 0} columns={COLUMNS.length + 3} />
                {row.kind === 'group' ? (
                  <GroupRow
                    row={row}
                    place={place}
                    tabStop={tabStop}
                    counts={COLUMNS.map((_, column) =>
                      countOf(
                        facts,
                        row.apps.map((app) => app.columns[column] ?? null),
                      ),
                    )}
                    all={countOf(facts, row.apps.flatMap(environmentsOf))}
                    onToggle={onToggle}
                    onToggleGroup={onToggleGroup}
                    measure={measure}
                  />
                ) : (
                  <AppRow
                    app={row.app}
                    isGrouped={row.isGrouped}
                    place={place}
                    tabStop={tabStop}
                    states={statesText(facts, row.app)}
                    canChange={canChange}
                    count={countOf(facts, environmentsOf(row.app))}
                    blockFrom={block?.from ?? null}
                    blockTo={block?.to ?? null}
                    onToggle={onToggle}
                    measure={measure}
                  />
                )}
              </Fragment>
            )
          })}
          <Gap height={end} columns={COLUMNS.length + 3} />
        </tbody>
      </table>
    </div>
  )
}

type HeadProps = Pick<AccessMatrixProps, 'apps' | 'found' | 'facts' | 'onSet'>

function Head({ apps, found, facts, onSet }: HeadProps) {
  return (
    <thead>
      <tr aria-rowindex={1}>
        <th scope="col">App</th>
        {COLUMNS.map(({ type, label }, column) => {
          const environments = apps.map((app) => app.columns[column] ?? null)
          return (
            <th key={type} scope="col" className="c">
              {facts.canChange && !facts.isByRole ? (
                <ColumnMenu
                  label={label}
                  what={
                    found.length === apps.length
                      ? 'all'
                      : `those of the ${counted(found.length, 'app')} shown`
                  }
                  onSet={(wanted) =>
                    onSet(
                      idsOf(
                        found.map((app) => app.columns[column] ?? null),
                        facts,
                      ),
                      wanted,
                    )
                  }
                />
              ) : (
                label
              )}
              <small className="num">
                <Count count={countOf(facts, environments)} />
              </small>
            </th>
          )
        })}
        <th scope="col">
          Others<small>with names of their own</small>
        </th>
        <th scope="col" className="r">
          Open
        </th>
      </tr>
    </thead>
  )
}

const idsOf = (environments: readonly ({ id: string } | null)[], facts: CellFacts): string[] =>
  environments.flatMap((environment) =>
    environment !== null && canToggle(facts, environment.id) ? [environment.id] : [],
  )

type ColumnMenuProps = { label: string; what: string; onSet: (wanted: boolean) => void }

function ColumnMenu({ label, what, onSet }: ColumnMenuProps) {
  return (
    <Menu
      trigger={
        <button type="button">
          {label}
          <Icon name="down" small />
        </button>
      }
      entries={[
        { label: `Open ${what}`, icon: 'check', onClick: () => onSet(true) },
        { label: `Close ${what}`, icon: 'minus', onClick: () => onSet(false) },
      ]}
    />
  )
}
