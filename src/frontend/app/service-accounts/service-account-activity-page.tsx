import { PageHead } from '../components/page-head.tsx'

export function ServiceAccountActivityPage() {
  return <PageHead title="ServiceAccountActivity" />
}
