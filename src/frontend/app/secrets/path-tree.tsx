import { Link } from '@tanstack/react-router'
import { Icon } from '../components/icon.tsx'
import { foldersOf, type SecretRow, type Selection, tagCounts } from './secret-rows.ts'

const FIRST_INDENT = 8
const INDENT = 16

/** A link is the current one where the address says exactly the same. */
const EXACTLY = { exact: true, includeSearch: true }

type PathTreeProps = { appId: string; rows: readonly SecretRow[]; selection: Selection }

/** Paths as folders, and tags, each with the number of secrets and an address. */
export function PathTree({ appId, rows, selection }: PathTreeProps) {
  const { path: _, ...withoutPath } = selection
  const { tag: __, ...withoutTag } = selection
  const tags = tagCounts(rows)
  return (
    <nav className="tree" aria-label="Paths">
      <ul>
        <Folder appId={appId} name="All paths" count={rows.length} depth={0} search={withoutPath} />
        {foldersOf(rows).map(({ path, name, depth, count }) => (
          <Folder
            key={path}
            appId={appId}
            name={name}
            count={count}
            depth={depth}
            search={{ ...selection, path }}
          />
        ))}
      </ul>
      {tags.length > 0 && (
        <>
          <h2>Tags</h2>
          <ul className="taglist">
            {tags.map(([tag, count]) => {
              const isOn = tag === selection.tag
              return (
                <li key={tag}>
                  <Link
                    className="tag"
                    to="/apps/$appId/secrets"
                    params={{ appId }}
                    activeOptions={EXACTLY}
                    search={isOn ? withoutTag : { ...selection, tag }}
                    aria-current={isOn || undefined}
                  >
                    {tag} {count}
                  </Link>
                </li>
              )
            })}
          </ul>
        </>
      )}
    </nav>
  )
}

type FolderProps = { appId: string; name: string; count: number; depth: number; search: Selection }

const Folder = ({ appId, name, count, depth, search }: FolderProps) => (
  <li>
    <Link
      to="/apps/$appId/secrets"
      params={{ appId }}
      search={search}
      activeOptions={EXACTLY}
      style={{ paddingLeft: FIRST_INDENT + depth * INDENT }}
    >
      <Icon name="folder" small />
      <span>{name}</span>
      <span className="push num faint">{count}</span>
    </Link>
  </li>
)
