import { PageHead } from '../components/page-head.tsx'

export function MemberActivityPage() {
  return <PageHead title="MemberActivity" />
}
