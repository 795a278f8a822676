import { PageHead } from '../components/page-head.tsx'

export function VerifyEmailPage() {
  return <PageHead title="VerifyEmail" />
}
