import { PageHead } from '../components/page-head.tsx'

export function SettingsPage() {
  return <PageHead title="Settings" />
}
