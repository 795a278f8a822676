import { PageHead } from '../components/page-head.tsx'

export function AppsPage() {
  return <PageHead title="Apps" />
}
