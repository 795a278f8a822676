import { PageHead } from '../components/page-head.tsx'

export function AccessPage() {
  return <PageHead title="Access" />
}
