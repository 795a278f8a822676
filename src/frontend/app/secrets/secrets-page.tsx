import { PageHead } from '../components/page-head.tsx'

export function SecretsPage() {
  return <PageHead title="Secrets" />
}
