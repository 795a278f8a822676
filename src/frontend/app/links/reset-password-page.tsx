import { PageHead } from '../components/page-head.tsx'

export function ResetPasswordPage() {
  return <PageHead title="ResetPassword" />
}
