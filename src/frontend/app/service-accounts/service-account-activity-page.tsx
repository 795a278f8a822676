import { getRouteApi } from '@tanstack/react-router'
import { Activity } from '../audit/activity.tsx'

const route = getRouteApi('/shell/service-accounts/$accountId/activity')

/** What a service account has done, and what was done to it. */
export const ServiceAccountActivityPage = () => (
  <Activity
    id={route.useParams().accountId}
    labels={{ by: 'Done by it', about: 'Done to it' }}
    empty={{
      by: 'What programs do with its tokens will stand here.',
      about: 'Changes of its name, role and access will stand here.',
    }}
  />
)
