import { PageHead } from '../components/page-head.tsx'

export function AppSettingsPage() {
  return <PageHead title="AppSettings" />
}
