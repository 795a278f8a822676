import { PageHead } from '../components/page-head.tsx'

export function ServiceAccountTokensPage() {
  return <PageHead title="ServiceAccountTokens" />
}
