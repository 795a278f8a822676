import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { EntryList } from '../audit/entry-list.tsx'
import { Segments } from '../components/page-head.tsx'
import { Empty } from '../components/pieces.tsx'

const route = getRouteApi('/shell/service-accounts/$accountId/activity')

type Side = 'by' | 'about'

/** What a service account has done, and what was done to it, as the audit log has it. */
export function ServiceAccountActivityPage() {
  const { accountId } = route.useParams()
  const [side, setSide] = useState<Side>('by')
  return (
    <>
      <div className="tools">
        <Segments
          label="Show"
          value={side}
          onChange={setSide}
          options={[
            { value: 'by', label: 'Done by it' },
            { value: 'about', label: 'Done to it' },
          ]}
        />
      </div>
      <EntryList
        key={side}
        search={side === 'by' ? { actor: accountId } : { thing: accountId }}
        empty={
          <Empty title="Nothing yet" icon="log">
            {side === 'by'
              ? 'What programs do with its tokens will stand here.'
              : 'Changes of its name, role and access will stand here.'}
          </Empty>
        }
      />
    </>
  )
}
