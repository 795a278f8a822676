import { PageHead } from '../components/page-head.tsx'

export function InvitePage() {
  return <PageHead title="Invite" />
}
