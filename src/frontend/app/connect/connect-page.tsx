import { PageHead } from '../components/page-head.tsx'

export function ConnectPage() {
  return <PageHead title="Connect" />
}
