import { useRef } from 'react'
import { Icon } from '../components/icon.tsx'
import { MoreMenu } from '../components/menu.tsx'
import { Badge, Tag } from '../components/pieces.tsx'
import { RowLink } from '../components/row-link.tsx'
import { draftKey } from './drafts.ts'
import { useGrid } from './grid.ts'
import { isSealed, type SecretRow, tagsOf } from './secret-rows.ts'

type NameCellProps = {
  row: SecretRow
  folder: string | undefined
  place: { row: number; column: number; isCurrent: boolean }
  isActive: boolean
}

/** The name of a secret, which leads to its history, with what there is to know of it in all environments. */
export function NameCell({ row, folder, place, isActive }: NameCellProps) {
  const { appId } = useGrid()
  const [first] = row.cells.values()
  const name = (
    <>
      <span className="faint">{prefixOf(row.path, folder)}</span>
      {row.key}
    </>
  )
  const focus = { 'data-row': place.row, 'data-column': place.column, tabIndex: place.isCurrent ? 0 : -1 }
  return (
    <th scope="row">
      <div className="sn">
        {first === undefined ? (
          <span className="mono name" {...focus}>
            {name}
          </span>
        ) : (
          <RowLink className="mono name" href={`/apps/${appId}/secrets/${first.id}`} {...focus}>
            {name}
          </RowLink>
        )}
        {isSealed(row) && (
          <>
            <Icon name="lock" small />
            <span className="vh">sealed</span>
          </>
        )}
        {[...row.cells.values()].some(({ override }) => override?.isActive === true) && (
          <Badge tone="accent">yours</Badge>
        )}
        <Expiry row={row} />
        <span className="tags">
          {tagsOf(row).map((tag) => (
            <Tag key={tag}>{tag}</Tag>
          ))}
        </span>
        <RowMenu row={row} isActive={isActive} />
      </div>
    </th>
  )
}

const SOON_MS = 14 * 24 * 3_600_000

function Expiry({ row }: { row: SecretRow }) {
  const times = [...row.cells.values()].flatMap(({ expiresAt }) =>
    expiresAt === undefined ? [] : Date.parse(expiresAt),
  )
  const left = Math.min(...times) - Date.now()
  if (left > SOON_MS) return null
  return <Badge tone={left < 0 ? 'remove' : 'warn'}>{left < 0 ? 'expired' : 'expires soon'}</Badge>
}

/** The button of a row's menu. The menu itself is made when somebody is about to use it: a grid may have thousands of rows. */
function RowMenu({ row, isActive }: { row: SecretRow; isActive: boolean }) {
  const { may } = useGrid()
  const button = useRef<HTMLSpanElement>(null)
  if (!may.update && !may.delete) return null
  return (
    <span className="row-menu" ref={button}>
      {isActive ? (
        <ReadyMenu row={row} />
      ) : (
        <button
          type="button"
          className="btn quiet icon"
          tabIndex={-1}
          aria-haspopup="menu"
          aria-label={menuLabelOf(row)}
          onClick={() => requestAnimationFrame(() => button.current?.querySelector('button')?.click())}
        >
          <Icon name="dots" />
        </button>
      )}
    </span>
  )
}

/** What the button of a secret's menu is called. */
export const menuLabelOf = ({ key }: SecretRow): string => `What to do with ${key}`

function ReadyMenu({ row }: { row: SecretRow }) {
  const { environments, drafts, dispatch, may, openDetails } = useGrid()
  const remove = () => {
    for (const { id } of environments) {
      const base = row.cells.get(id) ?? null
      if (base !== null || drafts.has(draftKey(id, row.name)))
        dispatch({ act: 'delete', environmentId: id, row: row.name, base })
    }
  }
  return (
    <MoreMenu
      label={menuLabelOf(row)}
      entries={[
        may.update && {
          label: 'Rename, move, tag, expire…',
          icon: 'pencil',
          onClick: () => openDetails(row),
        },
        may.delete && { label: 'Delete in all environments', icon: 'trash', danger: true, onClick: remove },
      ]}
    />
  )
}

/** The part of a path that the selected folder doesn't say. */
function prefixOf(path: string, folder: string | undefined): string {
  if (path === (folder ?? '/')) return ''
  const below = folder === undefined || folder === '/' ? path : path.slice(folder.length)
  return `${below.slice(1)}/`
}
