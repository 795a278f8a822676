import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent as lazy,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import { isStatus } from './api/errors.ts'
import { meQuery } from './api/me.ts'
import { secretsSearch, versionSearch } from './secrets/search.ts'
import { NotFound, PageProblem } from './shell/problems.tsx'
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

/** Pages without the side bar: for people who are not signed in, or whose link decides. */
const doors = [
  createRoute({
    getParentRoute: () => root,
    path: '/sign-in',
    validateSearch: (search): { next?: string } => (isLocal(search.next) ? { next: search.next } : {}),
    component: lazy(() => import('./sign-in/sign-in-page.tsx'), 'SignInPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/setup',
    component: lazy(() => import('./setup/setup-page.tsx'), 'SetupPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/invite',
    component: lazy(() => import('./links/invite-page.tsx'), 'InvitePage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/verify-email',
    component: lazy(() => import('./links/verify-email-page.tsx'), 'VerifyEmailPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/reset-password',
    component: lazy(() => import('./links/reset-password-page.tsx'), 'ResetPasswordPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/forgot-password',
    component: lazy(() => import('./links/forgot-password-page.tsx'), 'ForgotPasswordPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/webauth/$',
    component: lazy(() => import('./connect/connect-page.tsx'), 'ConnectPage'),
  }),
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
      if (isStatus(error, 401)) throw redirect({ to: '/sign-in', search: { next: location.href } })
      throw error
    }
  },
})

const pages = [
  createRoute({
    getParentRoute: () => shell,
    path: '/',
    component: lazy(() => import('./home/home-page.tsx'), 'HomePage'),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/access',
    component: lazy(() => import('./access/access-page.tsx'), 'AccessPage'),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/audit',
    component: lazy(() => import('./audit/audit-page.tsx'), 'AuditPage'),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/settings',
    beforeLoad: () => {
      throw redirect({ to: '/settings/$section', params: { section: 'profile' } })
    },
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/settings/$section',
    component: lazy(() => import('./settings/settings-page.tsx'), 'SettingsPage'),
  }),
] as const

const memberRoute = createRoute({
  getParentRoute: () => shell,
  path: '/members/$memberId',
  component: lazy(() => import('./members/member-page.tsx'), 'MemberPage'),
})
const members = [
  createRoute({
    getParentRoute: () => shell,
    path: '/members',
    component: lazy(() => import('./members/members-page.tsx'), 'MembersPage'),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/members/invites',
    component: lazy(() => import('./members/invites-page.tsx'), 'InvitesPage'),
  }),
  memberRoute.addChildren([
    createRoute({
      getParentRoute: () => memberRoute,
      path: '/',
      beforeLoad: ({ params }) => {
        throw redirect({ to: '/members/$memberId/access', params })
      },
    }),
    createRoute({
      getParentRoute: () => memberRoute,
      path: '/access',
      component: lazy(() => import('./members/member-access-page.tsx'), 'MemberAccessPage'),
    }),
    createRoute({
      getParentRoute: () => memberRoute,
      path: '/activity',
      component: lazy(() => import('./members/member-activity-page.tsx'), 'MemberActivityPage'),
    }),
  ]),
] as const

const accountRoute = createRoute({
  getParentRoute: () => shell,
  path: '/service-accounts/$accountId',
  component: lazy(() => import('./service-accounts/service-account-page.tsx'), 'ServiceAccountPage'),
})
const accounts = [
  createRoute({
    getParentRoute: () => shell,
    path: '/service-accounts',
    component: lazy(() => import('./service-accounts/service-accounts-page.tsx'), 'ServiceAccountsPage'),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/service-accounts/new',
    component: lazy(() => import('./service-accounts/new-service-account-page.tsx'), 'NewServiceAccountPage'),
  }),
  accountRoute.addChildren([
    createRoute({
      getParentRoute: () => accountRoute,
      path: '/',
      beforeLoad: ({ params }) => {
        throw redirect({ to: '/service-accounts/$accountId/tokens', params })
      },
    }),
    createRoute({
      getParentRoute: () => accountRoute,
      path: '/tokens',
      component: lazy(() => import('./service-accounts/service-account-tokens-page.tsx'), 'ServiceAccountTokensPage'),
    }),
    createRoute({
      getParentRoute: () => accountRoute,
      path: '/access',
      component: lazy(() => import('./service-accounts/service-account-access-page.tsx'), 'ServiceAccountAccessPage'),
    }),
    createRoute({
      getParentRoute: () => accountRoute,
      path: '/activity',
      component: lazy(
        () => import('./service-accounts/service-account-activity-page.tsx'),
        'ServiceAccountActivityPage',
      ),
    }),
  ]),
] as const

const roles = [
  createRoute({
    getParentRoute: () => shell,
    path: '/roles',
    component: lazy(() => import('./roles/roles-page.tsx'), 'RolesPage'),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/roles/new',
    component: lazy(() => import('./roles/new-role-page.tsx'), 'NewRolePage'),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/roles/$roleId',
    component: lazy(() => import('./roles/role-page.tsx'), 'RolePage'),
  }),
] as const

const appRoute = createRoute({
  getParentRoute: () => shell,
  path: '/apps/$appId',
  component: lazy(() => import('./apps/app-page.tsx'), 'AppPage'),
})
const apps = [
  createRoute({
    getParentRoute: () => shell,
    path: '/apps',
    component: lazy(() => import('./apps/apps-page.tsx'), 'AppsPage'),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/apps/new',
    component: lazy(() => import('./apps/new-app-page.tsx'), 'NewAppPage'),
  }),
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
      component: lazy(() => import('./secrets/secrets-page.tsx'), 'SecretsPage'),
    }),
    createRoute({
      getParentRoute: () => appRoute,
      path: '/secrets/$secretId',
      validateSearch: versionSearch,
      component: lazy(() => import('./secrets/secret-page.tsx'), 'SecretPage'),
    }),
    createRoute({
      getParentRoute: () => appRoute,
      path: '/environments',
      component: lazy(() => import('./apps/environments-page.tsx'), 'EnvironmentsPage'),
    }),
    createRoute({
      getParentRoute: () => appRoute,
      path: '/access',
      component: lazy(() => import('./apps/app-access-page.tsx'), 'AppAccessPage'),
    }),
    createRoute({
      getParentRoute: () => appRoute,
      path: '/activity',
      component: lazy(() => import('./apps/app-activity-page.tsx'), 'AppActivityPage'),
    }),
    createRoute({
      getParentRoute: () => appRoute,
      path: '/settings',
      component: lazy(() => import('./apps/app-settings-page.tsx'), 'AppSettingsPage'),
    }),
  ]),
] as const

/** The router of the console. Links are prefetched when the reader points at them. */
export const createConsoleRouter = (queryClient: QueryClient) =>
  createRouter({
    routeTree: root.addChildren([
      ...doors,
      shell.addChildren([...pages, ...members, ...accounts, ...roles, ...apps]),
    ]),
    context: { queryClient },
    defaultPreload: 'intent',
    defaultPreloadStaleTime: 0,
    scrollRestoration: true,
  })

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>
  }
}

/** Whether a value from the address leads to a page of the console, and to no other site. */
function isLocal(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith('/') && URL.parse(value, location.origin)?.origin === location.origin
}
