import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  notFound,
  Outlet,
  type RouteComponent,
  redirect,
} from '@tanstack/react-router'
import { accessSearch } from './access/search.ts'
import { isStatus } from './api/errors.ts'
import { meQuery } from './api/me.ts'
import { isFactorNeeded } from './api/refusals.ts'
import { hasNoSession } from './api/session.ts'
import { appQuery } from './apps/queries.ts'
import { appsSearch } from './apps/search.ts'
import { auditSearch } from './audit/search.ts'
import { membersSearch } from './members/search.ts'
import * as pages from './pages.ts'
import { newRoleSearch, rolesSearch } from './roles/search.ts'
import { only } from './search.ts'
import { secretsSearch, versionSearch } from './secrets/search.ts'
import { accountsSearch } from './service-accounts/search.ts'
import { NotFound, PageProblem } from './shell/problems.tsx'
import { Shell } from './shell/shell.tsx'
import { nextIn } from './sign-in/search.ts'

// The whole map of the console. What a page reads from the address is validated where its route stands.

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
    component: pages.SignInPage,
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/sign-in/second-factor',
    validateSearch: nextIn,
    component: pages.SecondFactorPage,
  }),
  door('/setup', pages.SetupPage),
  door('/invite', pages.InvitePage),
  door('/verify-email', pages.VerifyEmailPage),
  door('/reset-password', pages.ResetPasswordPage),
  door('/forgot-password', pages.ForgotPasswordPage),
  door('/webauth/$', pages.ConnectPage),
] as const

/** Pages for members, beside the side bar. Without a session they lead to the sign-in, and back. */
const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  component: Shell,
  beforeLoad: async ({ context, location, params }) => {
    // Ids go into paths of the API as they are: one such as `..%2Froles` would ask for something else.
    if (Object.values<string>(params).some((id) => !/^[\w-]+$/.test(id))) throw notFound()
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

/** A page with filters in its address. */
const filtered = <P extends string, Search extends object>(
  path: P,
  read: (search: Record<string, unknown>) => Search,
  component: RouteComponent,
) => createRoute({ getParentRoute: () => shell, path, validateSearch: only(read), component })

const general = [
  page('/', pages.HomePage),
  filtered('/access', accessSearch, pages.AccessPage),
  filtered('/audit', auditSearch, pages.AuditPage),
  createRoute({
    getParentRoute: () => shell,
    path: '/settings',
    beforeLoad: () => {
      throw redirect({ to: '/settings/$section', params: { section: 'profile' } })
    },
  }),
  page('/settings/$section', pages.SettingsPage),
] as const

const memberRoute = page('/members/$memberId', pages.MemberPage)
const memberPage = <P extends string>(path: P, component: RouteComponent) =>
  createRoute({ getParentRoute: () => memberRoute, path, component })

const members = [
  filtered('/members', membersSearch, pages.MembersPage),
  page('/members/invites', pages.InvitesPage),
  memberRoute.addChildren([
    createRoute({
      getParentRoute: () => memberRoute,
      path: '/',
      beforeLoad: ({ params }) => {
        throw redirect({ to: '/members/$memberId/access', params })
      },
    }),
    memberPage('/access', pages.MemberAccessPage),
    memberPage('/activity', pages.MemberActivityPage),
  ]),
] as const

const accountRoute = page('/service-accounts/$accountId', pages.ServiceAccountPage)
const accountPage = <P extends string>(path: P, component: RouteComponent) =>
  createRoute({ getParentRoute: () => accountRoute, path, component })

const accounts = [
  filtered('/service-accounts', accountsSearch, pages.ServiceAccountsPage),
  page('/service-accounts/new', pages.NewServiceAccountPage),
  accountRoute.addChildren([
    createRoute({
      getParentRoute: () => accountRoute,
      path: '/',
      beforeLoad: ({ params }) => {
        throw redirect({ to: '/service-accounts/$accountId/tokens', params })
      },
    }),
    accountPage('/tokens', pages.ServiceAccountTokensPage),
    accountPage('/access', pages.ServiceAccountAccessPage),
    accountPage('/activity', pages.ServiceAccountActivityPage),
  ]),
] as const

const roles = [
  filtered('/roles', rolesSearch, pages.RolesPage),
  filtered('/roles/new', newRoleSearch, pages.NewRolePage),
  page('/roles/$roleId', pages.RolePage),
] as const

const appRoute = createRoute({
  getParentRoute: () => shell,
  path: '/apps/$appId',
  loader: ({ context, params }) => context.queryClient.ensureQueryData(appQuery(params.appId)),
  component: pages.AppPage,
})
const appPage = <P extends string>(path: P, component: RouteComponent) =>
  createRoute({ getParentRoute: () => appRoute, path, component })

const apps = [
  filtered('/apps', appsSearch, pages.AppsPage),
  page('/apps/new', pages.NewAppPage),
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
      validateSearch: only(secretsSearch),
      component: pages.SecretsPage,
    }),
    createRoute({
      getParentRoute: () => appRoute,
      path: '/secrets/$secretId',
      validateSearch: only(versionSearch),
      component: pages.SecretPage,
    }),
    appPage('/environments', pages.EnvironmentsPage),
    appPage('/access', pages.AppAccessPage),
    appPage('/activity', pages.AppActivityPage),
    appPage('/settings', pages.AppSettingsPage),
  ]),
] as const

const development =
  process.env.NODE_ENV === 'development'
    ? [
        page(
          '/dev/components',
          lazyRouteComponent(() => import('./dev/components-page.tsx'), 'ComponentsPage'),
        ),
      ]
    : []

/** The router of the console. Pages are loaded when they are first opened, or pointed at. */
export const createConsoleRouter = (queryClient: QueryClient) =>
  createRouter({
    routeTree: root.addChildren([
      ...doors,
      shell.addChildren([...general, ...members, ...accounts, ...roles, ...apps, ...development]),
    ]),
    context: { queryClient },
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
