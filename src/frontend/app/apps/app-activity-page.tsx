import { getRouteApi } from '@tanstack/react-router'
import { EntryList } from '../audit/entry-list.tsx'

const route = getRouteApi('/shell/apps/$appId/activity')

/** What happened in an app: entries of the audit log about it and what is in it. */
export function AppActivityPage() {
  const { appId } = route.useParams()
  return <EntryList search={{ app: appId }} />
}
