import type { Entry } from '../../../core/audit/entry.ts'

type PageLink = Readonly<{
  to: '/members/$memberId/access' | '/service-accounts/$accountId' | '/roles/$roleId' | '/apps/$appId'
  params: Record<string, string>
  label: string
}>

/** The page of what an entry is about; null where it has none, or is gone for sure. */
export function linkOf({ eventType, resourceType, resourceId }: Entry): PageLink | null {
  if (resourceId === null || /\.(?:deleted|removed)$/.test(eventType)) return null
  if (resourceType === 'member')
    return { to: '/members/$memberId/access', params: { memberId: resourceId }, label: 'Open their access' }
  if (resourceType === 'service_account') {
    return {
      to: '/service-accounts/$accountId',
      params: { accountId: resourceId },
      label: 'Open the service account',
    }
  }
  if (resourceType === 'role')
    return { to: '/roles/$roleId', params: { roleId: resourceId }, label: 'Open the role' }
  return resourceType === 'app'
    ? { to: '/apps/$appId', params: { appId: resourceId }, label: 'Open the app' }
    : null
}
