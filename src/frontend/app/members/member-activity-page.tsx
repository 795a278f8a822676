import { getRouteApi } from '@tanstack/react-router'
import { EntryList } from '../audit/entry-list.tsx'
import { Empty } from '../components/pieces.tsx'

const route = getRouteApi('/shell/members/$memberId/activity')

/** What a member has done, as the audit log has it. */
export function MemberActivityPage() {
  const { memberId } = route.useParams()
  return (
    <EntryList
      search={{ actor: memberId }}
      empty={
        <Empty title="Nothing yet">What this member changes, reads or is refused will stand here.</Empty>
      }
    />
  )
}
