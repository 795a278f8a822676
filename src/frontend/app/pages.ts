import { lazyRouteComponent as lazy } from '@tanstack/react-router'

// Every page is a file of its own, which browsers load when the page is first opened.
export const SignInPage = lazy(() => import('./sign-in/sign-in-page.tsx'), 'SignInPage')
export const SecondFactorPage = lazy(() => import('./sign-in/second-factor-page.tsx'), 'SecondFactorPage')
export const SetupPage = lazy(() => import('./setup/setup-page.tsx'), 'SetupPage')
export const InvitePage = lazy(() => import('./links/invite-page.tsx'), 'InvitePage')
export const VerifyEmailPage = lazy(() => import('./links/verify-email-page.tsx'), 'VerifyEmailPage')
export const ResetPasswordPage = lazy(() => import('./links/reset-password-page.tsx'), 'ResetPasswordPage')
export const ForgotPasswordPage = lazy(() => import('./links/forgot-password-page.tsx'), 'ForgotPasswordPage')
export const ConnectPage = lazy(() => import('./connect/connect-page.tsx'), 'ConnectPage')
export const HomePage = lazy(() => import('./home/home-page.tsx'), 'HomePage')
export const AccessPage = lazy(() => import('./access/access-page.tsx'), 'AccessPage')
export const AuditPage = lazy(() => import('./audit/audit-page.tsx'), 'AuditPage')
export const SettingsPage = lazy(() => import('./settings/settings-page.tsx'), 'SettingsPage')
export const MemberPage = lazy(() => import('./members/member-page.tsx'), 'MemberPage')
export const MembersPage = lazy(() => import('./members/members-page.tsx'), 'MembersPage')
export const InvitesPage = lazy(() => import('./members/invites-page.tsx'), 'InvitesPage')
export const MemberAccessPage = lazy(() => import('./members/member-access-page.tsx'), 'MemberAccessPage')
export const MemberActivityPage = lazy(
  () => import('./members/member-activity-page.tsx'),
  'MemberActivityPage',
)
export const ServiceAccountPage = lazy(
  () => import('./service-accounts/service-account-page.tsx'),
  'ServiceAccountPage',
)
export const ServiceAccountsPage = lazy(
  () => import('./service-accounts/service-accounts-page.tsx'),
  'ServiceAccountsPage',
)
export const NewServiceAccountPage = lazy(
  () => import('./service-accounts/new-service-account-page.tsx'),
  'NewServiceAccountPage',
)
export const ServiceAccountTokensPage = lazy(
  () => import('./service-accounts/service-account-tokens-page.tsx'),
  'ServiceAccountTokensPage',
)
export const ServiceAccountAccessPage = lazy(
  () => import('./service-accounts/service-account-access-page.tsx'),
  'ServiceAccountAccessPage',
)
export const ServiceAccountActivityPage = lazy(
  () => import('./service-accounts/service-account-activity-page.tsx'),
  'ServiceAccountActivityPage',
)
export const RolesPage = lazy(() => import('./roles/roles-page.tsx'), 'RolesPage')
export const NewRolePage = lazy(() => import('./roles/new-role-page.tsx'), 'NewRolePage')
export const RolePage = lazy(() => import('./roles/role-page.tsx'), 'RolePage')
export const AppPage = lazy(() => import('./apps/app-page.tsx'), 'AppPage')
export const AppsPage = lazy(() => import('./apps/apps-page.tsx'), 'AppsPage')
export const NewAppPage = lazy(() => import('./apps/new-app-page.tsx'), 'NewAppPage')
export const SecretsPage = lazy(() => import('./secrets/secrets-page.tsx'), 'SecretsPage')
export const SecretPage = lazy(() => import('./secrets/secret-page.tsx'), 'SecretPage')
export const EnvironmentsPage = lazy(() => import('./apps/environments-page.tsx'), 'EnvironmentsPage')
export const AppAccessPage = lazy(() => import('./apps/app-access-page.tsx'), 'AppAccessPage')
export const AppActivityPage = lazy(() => import('./apps/app-activity-page.tsx'), 'AppActivityPage')
export const AppSettingsPage = lazy(() => import('./apps/app-settings-page.tsx'), 'AppSettingsPage')
