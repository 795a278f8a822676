import { PageHead } from '../components/page-head.tsx'

export function RolePage() {
  return <PageHead title="Role" />
}
