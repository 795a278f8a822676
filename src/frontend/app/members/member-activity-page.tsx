import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { EntryList } from '../audit/entry-list.tsx'
import { Segments } from '../components/page-head.tsx'
import { Empty } from '../components/pieces.tsx'

const route = getRouteApi('/shell/members/$memberId/activity')

type Side = 'by' | 'about'

/** What a member has done, and what was done to the member, as the audit log has it. */
export function MemberActivityPage() {
  const { memberId } = route.useParams()
  const [side, setSide] = useState<Side>('by')
  return (
    <>
      <div className="tools">
        <Segments
          label="Show"
          value={side}
          onChange={setSide}
          options={[
            { value: 'by', label: 'Done by them' },
            { value: 'about', label: 'Done to them' },
          ]}
        />
      </div>
      <EntryList
        key={side}
        search={side === 'by' ? { actor: memberId } : { thing: memberId }}
        empty={
          <Empty title="Nothing yet" icon="log">
            {side === 'by'
              ? 'What this member changes, reads or is refused will stand here.'
              : 'Changes of the member’s role and access will stand here.'}
          </Empty>
        }
      />
    </>
  )
}
