import { PageHead } from '../components/page-head.tsx'

export function EnvironmentsPage() {
  return <PageHead title="Environments" />
}
