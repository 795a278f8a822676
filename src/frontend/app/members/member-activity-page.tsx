import { getRouteApi } from '@tanstack/react-router'
import { Activity } from '../audit/activity.tsx'

const route = getRouteApi('/shell/members/$memberId/activity')

/** What a member has done, and what was done to the member. */
export const MemberActivityPage = () => (
  <Activity
    id={route.useParams().memberId}
    labels={{ by: 'Done by them', about: 'Done to them' }}
    empty={{
      by: 'What this member changes, reads or is refused will stand here.',
      about: 'Changes of the member’s role and access will stand here.',
    }}
  />
)
