import { PageHead } from '../components/page-head.tsx'

export function NewRolePage() {
  return <PageHead title="NewRole" />
}
