import { Button } from '../components/button.tsx'
import { SearchInput } from '../components/field.tsx'
import { Segments } from '../components/page-head.tsx'
import { useSearchText } from '../components/use-search-text.ts'
import { useShortcut } from '../shell/shortcuts.ts'
import type { Selection } from './secret-rows.ts'

type GridToolsProps = {
  selection: Selection
  counts: { all: number; missing: number; different: number }
  onSelect: (selection: Selection) => void
  isAllShown: boolean
  onToggleAll: () => void
}

/** Finds names, shows only what is missing or different, and shows or hides all values. */
export function GridTools({ selection, counts, onSelect, isAllShown, onToggleAll }: GridToolsProps) {
  const { show: _, ...withoutShow } = selection
  useShortcut('v', onToggleAll)
  return (
    <div className="tools">
      <Find selection={selection} onSelect={onSelect} />
      <Segments
        label="Show"
        value={selection.show ?? 'all'}
        options={[
          { value: 'all', label: 'All', count: counts.all },
          { value: 'missing', label: 'Missing', count: counts.missing },
          { value: 'different', label: 'Different', count: counts.different },
        ]}
        onChange={(show) => onSelect(show === 'all' ? withoutShow : { ...withoutShow, show })}
      />
      <Button
        kind="quiet"
        className="push"
        icon="eye"
        hint="V"
        aria-pressed={isAllShown}
        onClick={onToggleAll}
      >
        {isAllShown ? 'Hide values' : 'Show values'}
      </Button>
    </div>
  )
}

function Find({ selection, onSelect }: Pick<GridToolsProps, 'selection' | 'onSelect'>) {
  const { q = '', ...rest } = selection
  const [text, type] = useSearchText(q, (text) => onSelect(text === '' ? rest : { ...rest, q: text }), 120)
  return <SearchInput label="Find by name" value={text} onChange={(event) => type(event.target.value)} />
}
