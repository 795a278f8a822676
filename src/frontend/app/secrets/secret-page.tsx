import { PageHead } from '../components/page-head.tsx'

export function SecretPage() {
  return <PageHead title="Secret" />
}
