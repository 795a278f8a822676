import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  type RouteComponent,
  redirect,
} from '@tanstack/react-router'
import { accessSearch } from './access/search.ts'
import { isStatus } from './api/errors.ts'
import { meQuery } from './api/me.ts'
import { isFactorNeeded } from './api/refusals.ts'
import { hasNoSession } from './api/session.ts'
import type { AppsSearch } from './apps/queries.ts'
import { auditSearch } from './audit/search.ts'
import { membersSearch } from './members/search.ts'
import {
  AccessPage,
  AppAccessPage,
  AppActivityPage,
  AppPage,
  AppSettingsPage,
  AppsPage,
  AuditPage,
  ConnectPage,
  EnvironmentsPage,
  ForgotPasswordPage,
  HomePage,
  InvitePage,
  InvitesPage,
  MemberAccessPage,
  MemberActivityPage,
  MemberPage,
  MembersPage,
  NewAppPage,
  NewRolePage,
  NewServiceAccountPage,
  ResetPasswordPage,
  RolePage,
  RolesPage,
  SecondFactorPage,
  SecretPage,
  SecretsPage,
  ServiceAccountAccessPage,
  ServiceAccountActivityPage,
  ServiceAccountPage,
  ServiceAccountsPage,
  ServiceAccountTokensPage,
  SettingsPage,
  SetupPage,
  SignInPage,
  VerifyEmailPage,
} from './pages.ts'
import type { RolesSearch } from './roles/queries.ts'
import { secretsSearch, versionSearch } from './secrets/search.ts'
import { accountsSearch } from './service-accounts/search.ts'
import { NotFound, PageProblem } from './shell/problems.tsx'
import { oneOf, textOf } from './shell/search.ts'
import { Shell } from './shell/shell.tsx'

/*
 * The whole map of the console. Pages are loaded when they are first opened. What a page reads from the address is
 * validated where its route stands; the page reads it with `getRouteApi('/members').useSearch()`.
 */

const root = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  component: Outlet,
  notFoundComponent: NotFound,
  errorComponent: PageProblem,
})

const door = <P extends string>(path: P, component: RouteComponent) =>
  createRoute({ getParentRoute: () => root, path, component })

/** Pages without the side bar: for people who are not signed in, or whose link decides. */
const doors = [
  createRoute({
    getParentRoute: () => root,
    path: '/sign-in',
    validateSearch: nextIn,
    beforeLoad: async ({ context, search }) => {
      if (hasNoSession()) return
      const me = await context.queryClient.ensureQueryData(meQuery).catch(() => null)
      if (me !== null) throw redirect({ href: search.next ?? '/', replace: true })
    },
    component: SignInPage,
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/sign-in/second-factor',
    validateSearch: nextIn,
    component: SecondFactorPage,
  }),
  door('/setup', SetupPage),
  door('/invite', InvitePage),
  door('/verify-email', VerifyEmailPage),
  door('/reset-password', ResetPasswordPage),
  door('/forgot-password', ForgotPasswordPage),
  door('/webauth/$', ConnectPage),
] as const

/** Pages for members, beside the side bar. Without a session they lead to the sign-in, and back. */
const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  component: Shell,
  beforeLoad: async ({ context, location }) => {
    try {
      await context.queryClient.ensureQueryData(meQuery)
    } catch (error) {
      if (isFactorNeeded(error))
        throw redirect({ to: '/sign-in/second-factor', search: { next: location.href } })
      if (isStatus(error, 401))
        throw redirect({ to: '/sign-in', search: location.href === '/' ? {} : { next: location.href } })
      throw error
    }
  },
})

const page = <P extends string>(path: P, component: RouteComponent) =>
  createRoute({ getParentRoute: () => shell, path, component })

const pages = [
  page('/', HomePage),
  createRoute({
    getParentRoute: () => shell,
    path: '/access',
    validateSearch: accessSearch,
    component: AccessPage,
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/audit',
    validateSearch: auditSearch,
    component: AuditPage,
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/settings',
    beforeLoad: () => {
      throw redirect({ to: '/settings/$section', params: { section: 'profile' } })
    },
  }),
  page('/settings/$section', SettingsPage),
] as const

const memberRoute = page('/members/$memberId', MemberPage)
const memberPage = <P extends string>(path: P, component: RouteComponent) =>
  createRoute({ getParentRoute: () => memberRoute, path, component })

const members = [
  createRoute({
    getParentRoute: () => shell,
    path: '/members',
    validateSearch: membersSearch,
    component: MembersPage,
  }),
  page('/members/invites', InvitesPage),
  memberRoute.addChildren([
    createRoute({
      getParentRoute: () => memberRoute,
      path: '/',
      beforeLoad: ({ params }) => {
        throw redirect({ to: '/members/$memberId/access', params })
      },
    }),
    memberPage('/access', MemberAccessPage),
    memberPage('/activity', MemberActivityPage),
  ]),
] as const

const accountRoute = page('/service-accounts/$accountId', ServiceAccountPage)
const accountPage = <P extends string>(path: P, component: RouteComponent) =>
  createRoute({ getParentRoute: () => accountRoute, path, component })

const accounts = [
  createRoute({
    getParentRoute: () => shell,
    path: '/service-accounts',
    validateSearch: accountsSearch,
    component: ServiceAccountsPage,
  }),
  page('/service-accounts/new', NewServiceAccountPage),
  accountRoute.addChildren([
    createRoute({
      getParentRoute: () => accountRoute,
      path: '/',
      beforeLoad: ({ params }) => {
        throw redirect({ to: '/service-accounts/$accountId/tokens', params })
      },
    }),
    accountPage('/tokens', ServiceAccountTokensPage),
    accountPage('/access', ServiceAccountAccessPage),
    accountPage('/activity', ServiceAccountActivityPage),
  ]),
] as const

const roles = [
  createRoute({
    getParentRoute: () => shell,
    path: '/roles',
    validateSearch: (search): RolesSearch => ({
      ...textOf(search, 'q'),
      ...oneOf(search, 'sort', ['name', '-name', 'created_at', '-created_at']),
    }),
    component: RolesPage,
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/roles/new',
    validateSearch: (search): { from?: string } => textOf(search, 'from'),
    component: NewRolePage,
  }),
  page('/roles/$roleId', RolePage),
] as const

const appRoute = page('/apps/$appId', AppPage)
const appPage = <P extends string>(path: P, component: RouteComponent) =>
  createRoute({ getParentRoute: () => appRoute, path, component })

const apps = [
  createRoute({
    getParentRoute: () => shell,
    path: '/apps',
    component: AppsPage,
    validateSearch: (search): AppsSearch => ({
      ...textOf(search, 'q'),
      ...oneOf(search, 'sort', ['name', '-name', 'created_at', '-created_at']),
    }),
  }),
  page('/apps/new', NewAppPage),
  appRoute.addChildren([
    createRoute({
      getParentRoute: () => appRoute,
      path: '/',
      beforeLoad: ({ params }) => {
        throw redirect({ to: '/apps/$appId/secrets', params })
      },
    }),
    createRoute({
      getParentRoute: () => appRoute,
      path: '/secrets',
      validateSearch: secretsSearch,
      component: SecretsPage,
    }),
    createRoute({
      getParentRoute: () => appRoute,
      path: '/secrets/$secretId',
      validateSearch: versionSearch,
      component: SecretPage,
    }),
    appPage('/environments', EnvironmentsPage),
    appPage('/access', AppAccessPage),
    appPage('/activity', AppActivityPage),
    appPage('/settings', AppSettingsPage),
  ]),
] as const

/** Pages for whoever works on the console; they are not in the build. */
const development =
  process.env.NODE_ENV === 'development'
    ? [
        page(
          '/dev/components',
          lazyRouteComponent(() => import('./dev/components-page.tsx'), 'ComponentsPage'),
        ),
      ]
    : []

/** The router of the console. Links are prefetched when the reader points at them. */
export const createConsoleRouter = (queryClient: QueryClient) =>
  createRouter({
    routeTree: root.addChildren([
      ...doors,
      shell.addChildren([...pages, ...members, ...accounts, ...roles, ...apps, ...development]),
    ]),
    context: { queryClient },
    // A page that fails leaves the frame around it as it is.
    defaultErrorComponent: PageProblem,
    defaultPreload: 'intent',
    defaultPreloadStaleTime: 0,
    scrollRestoration: true,
  })

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>
  }
}

/** Where a sign-in leads to, from the address. What a route leaves out, the router keeps as it stands there. */
function nextIn(search: Record<string, unknown>): { next?: string | undefined } {
  return { next: isLocal(search.next) ? search.next : undefined }
}

/** Whether a value from the address leads to a page of the console, and to no other site. */
function isLocal(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.startsWith('/') &&
    URL.parse(value, location.origin)?.origin === location.origin
  )
}
