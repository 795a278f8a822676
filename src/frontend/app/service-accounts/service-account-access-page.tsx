import { PageHead } from '../components/page-head.tsx'

export function ServiceAccountAccessPage() {
  return <PageHead title="ServiceAccountAccess" />
}
