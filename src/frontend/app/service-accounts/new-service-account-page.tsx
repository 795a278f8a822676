import { PageHead } from '../components/page-head.tsx'

export function NewServiceAccountPage() {
  return <PageHead title="NewServiceAccount" />
}
