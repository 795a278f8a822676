import { PageHead } from '../components/page-head.tsx'

export function NewAppPage() {
  return <PageHead title="NewApp" />
}
