import { PageHead } from '../components/page-head.tsx'

export function AppAccessPage() {
  return <PageHead title="AppAccess" />
}
