import { PAGE_HEADERS, pageHtml } from '../../platform/http/page.ts'
import type { ErrorResponse } from './errors.ts'

/** The routes that browsers are sent to by themselves: people read what they answer. */
const PAGE_ROUTES: ReadonlySet<string> = new Set([
  '/service/auth/sso/:provider/authorize',
  '/service/auth/sso/:provider/callback',
])

/** Whether a route tells people of failures in a page. */
export const isPageRoute = (route: string | null): boolean => route !== null && PAGE_ROUTES.has(route)

/** A failure as a page: the sentence, a way back, and the id under which the log has it. */
export const failurePage = ({ status, message, headers }: ErrorResponse, requestId: string): Response =>
  new Response(
    pageHtml({
      title: 'Sign-in failed',
      sentences: [message, `Id of this request, for the administrator: ${requestId}`],
      link: { href: '/', text: 'Back to Keyward' },
    }),
    { status, headers: { ...PAGE_HEADERS, ...headers } },
  )
