import { useState } from 'react'
import { DEFAULT_ROLES } from '../../../core/permissions.ts'
import { asRoleHolder } from '../api/me.ts'
import { SearchInput } from '../components/field.tsx'
import { Segments } from '../components/page-head.tsx'
import { useViewer } from '../shell/viewer.ts'
import { type ClassRow, LEVELS, rowsOf } from './classes.ts'
import { allowedBy, beyondViewer, type Key, keyOf, type RoleState, startingFrom, toggled } from './draft.ts'
import { LevelMatrix } from './permission-matrix.tsx'

type RoleMatrixProps = {
  before: ReadonlySet<Key>
  state: RoleState
  /** Absent where nothing can be changed. */
  onChange?: ((state: RoleState) => void) | undefined
}

type Shown = 'all' | 'granted' | 'unlike'

const STARTS = DEFAULT_ROLES.filter(
  ({ kind }) => kind === 'developer' || kind === 'manager' || kind === 'service',
)
const DEVELOPER = allowedBy(
  DEFAULT_ROLES.find(({ kind }) => kind === 'developer')?.permissions ?? {
    permissions: {},
    appPermissions: {},
  },
)

/** What a role allows, at both levels; edited as a whole. What the viewer lacks itself is locked. */
export function RoleMatrix({ before, state, onChange }: RoleMatrixProps) {
  const viewer = asRoleHolder(useViewer())
  const [text, setText] = useState('')
  const [shown, setShown] = useState<Shown>('all')
  const { allowed } = state
  const lockOf = (key: Key) => beyondViewer(viewer, key)
  const isShown = (row: ClassRow) => {
    const keys = row.actions.map((action) => keyOf(row.level, row.resourceClass, action))
    if (shown === 'granted' && !keys.some((key) => allowed.has(key) || before.has(key))) return false
    if (shown === 'unlike' && keys.every((key) => allowed.has(key) === DEVELOPER.has(key))) return false
    return `${row.label} ${row.covers} ${row.resourceClass}`.toLowerCase().includes(text.trim().toLowerCase())
  }
  const isAnyLocked =
    onChange !== undefined &&
    LEVELS.some(({ level }) =>
      rowsOf(level).some((row) =>
        row.actions.some((action) => lockOf(keyOf(level, row.resourceClass, action)) !== null),
      ),
    )
  return (
    <>
      <div className="tools mt-5 mb-0!">
        <SearchInput
          label="Find a permission"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <Segments
          label="Show"
          value={shown}
          onChange={setShown}
          options={[
            { value: 'all', label: 'All' },
            { value: 'granted', label: 'Allowed' },
            { value: 'unlike', label: 'Unlike Developer' },
          ]}
        />
        {onChange !== undefined && (
          <span className="push small dim row gap-1!">
            Start from:
            {STARTS.map(({ name, permissions }) => (
              <button
                key={name}
                type="button"
                className="btn quiet sm"
                onClick={() => onChange(startingFrom(state, before, allowedBy(permissions), viewer))}
              >
                {name}
              </button>
            ))}
          </span>
        )}
      </div>
      {isAnyLocked && (
        <p className="small dim mt-3">
          Cells with a lock are beyond your own role: nobody can hand out what they lack.
        </p>
      )}
      <div className="levels">
        {LEVELS.map((level) => (
          <LevelMatrix
            key={level.level}
            {...level}
            rows={rowsOf(level.level).filter(isShown)}
            before={before}
            allowed={allowed}
            lockOf={lockOf}
            onToggle={onChange === undefined ? undefined : (key) => onChange(toggled(state, key))}
          />
        ))}
      </div>
    </>
  )
}
