import { PageHead } from '../components/page-head.tsx'

export function ForgotPasswordPage() {
  return <PageHead title="ForgotPassword" />
}
