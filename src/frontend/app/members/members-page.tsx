import { PageHead } from '../components/page-head.tsx'

export function MembersPage() {
  return <PageHead title="Members" />
}
