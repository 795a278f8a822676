import { useState } from 'react'
import { Segments } from '../components/page-head.tsx'
import { Empty } from '../components/pieces.tsx'
import { EntryList } from './entry-list.tsx'

type Side = 'by' | 'about'

type ActivityProps = {
  /** Whose activity it is. */
  id: string
  /** The segments, and what stands where a side has no entries. */
  labels: Readonly<Record<Side, string>>
  empty: Readonly<Record<Side, string>>
}

/** What somebody has done, and what was done to them, as the audit log has it. */
export function Activity({ id, labels, empty }: ActivityProps) {
  const [side, setSide] = useState<Side>('by')
  return (
    <>
      <div className="tools">
        <Segments
          label="Show"
          value={side}
          onChange={setSide}
          options={(['by', 'about'] as const).map((value) => ({ value, label: labels[value] }))}
        />
      </div>
      <EntryList
        key={side}
        search={side === 'by' ? { actor: id } : { thing: id }}
        empty={
          <Empty title="Nothing yet" icon="log">
            {empty[side]}
          </Empty>
        }
      />
    </>
  )
}
