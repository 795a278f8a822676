import { PageHead } from '../components/page-head.tsx'

export function InvitesPage() {
  return <PageHead title="Invites" />
}
