import { PageHead } from '../components/page-head.tsx'

export function MemberAccessPage() {
  return <PageHead title="MemberAccess" />
}
