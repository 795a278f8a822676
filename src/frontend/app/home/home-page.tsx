import { PageHead } from '../components/page-head.tsx'

export function HomePage() {
  return <PageHead title="Home" />
}
