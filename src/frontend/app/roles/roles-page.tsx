import { PageHead } from '../components/page-head.tsx'

export function RolesPage() {
  return <PageHead title="Roles" />
}
