import type { ReactNode } from 'react'
import { Button } from '../components/button.tsx'
import { SearchInput } from '../components/field.tsx'
import { Segments } from '../components/page-head.tsx'
import { Empty } from '../components/pieces.tsx'
import { counted } from '../components/words.ts'
import type { View } from './matrix-views.tsx'
import type { MatrixView } from './use-matrix-view.ts'

type MatrixToolsProps = { shown: MatrixView; views: readonly View[]; children: ReactNode }

const LABELS: Record<View, string> = { all: 'All', open: 'Open', changed: 'Changed' }

/** Searches the apps of the matrix, and chooses which of them are shown. */
export const MatrixTools = ({ shown, views, children }: MatrixToolsProps) => (
  <div className="tools">
    <SearchInput
      label="Find an app"
      value={shown.search}
      onChange={(event) => shown.setSearch(event.target.value)}
    />
    <Segments
      label="Show"
      value={shown.view}
      onChange={shown.setView}
      options={views.map((value) => ({ value, label: LABELS[value], count: shown.countIn(value) }))}
    />
    {children !== undefined && <span className="push row">{children}</span>}
  </div>
)

/** Stands where no app passes the search and the view. */
export function NoneShown({ shown }: { shown: MatrixView }) {
  const apps = counted(shown.all.length, 'app')
  const words = shown.search.trim()
  return (
    <Empty title="No app is shown" act={<Button onClick={shown.showAll}>Show all apps</Button>}>
      {words === '' ? `None of the ${apps} fits.` : `${apps} were searched by name for “${words}”.`}
    </Empty>
  )
}
