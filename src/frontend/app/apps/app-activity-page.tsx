import { PageHead } from '../components/page-head.tsx'

export function AppActivityPage() {
  return <PageHead title="AppActivity" />
}
