import { PageHead } from '../components/page-head.tsx'

export function ServiceAccountsPage() {
  return <PageHead title="ServiceAccounts" />
}
