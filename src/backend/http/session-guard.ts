import { Elysia } from 'elysia'
import type { Context } from '../../context.ts'
import { DomainError, forbidden } from '../../core/errors.ts'
import { requireRecentlySignedInOwner } from '../../core/organisations/ownership-transfer.ts'
import type { SignedInUser } from '../../core/sessions/session.ts'
import * as sessions from '../../core/sessions/sessions.ts'
import { isAllowedOrigin } from '../../platform/http/hosts.ts'
import { audited } from './audited.ts'
import { readSessionCookie } from './cookies.ts'
import type { RequestStates } from './requests.ts'

/** Who may call a route under `/service/auth/` that asks for a session, and with what. */
const CALLERS = {
  session: 'anyone signed in, with the cookie or a session’s bearer',
  password: 'anyone signed in, with the cookie or a session’s bearer',
  cookie: 'anyone signed in, with the cookie',
  owner: 'the Owner, with the cookie of a sign-in of the last 10 minutes',
} as const

/**
 * What a route under `/service/auth/` asks of its caller. `visitor` asks nothing, `signedIn` a session; with `password`
 * either is closed while password authentication is off, whoever calls and whatever the body. Since browsers send the
 * cookie by themselves, whatever is not a GET must come from the service's own pages and be JSON.
 */
export const sessionGuard = (ctx: Context, requests: RequestStates) => {
  const enter = async (request: Request, kind: keyof typeof CALLERS): Promise<void> => {
    const { origin } = requests.of(request)
    const authorization = kind === 'cookie' || kind === 'owner' ? null : request.headers.get('authorization')
    if (authorization !== null) {
      requests.setCaller(request, await sessions.authenticateSessionToken(ctx, authorization, origin))
      return
    }
    const cookie = readSessionCookie(ctx.config, request)
    const { caller, signedInAt } = await sessions.authenticateCookie(ctx, cookie, origin)
    requests.setCaller(request, caller)
    if (kind === 'owner') requireRecentlySignedInOwner(ctx, caller, signedInAt)
  }

  return new Elysia({ name: 'session-guard', normalize: false }).use(audited).macro({
    visitor: (kind: 'anyone' | 'password') => ({
      detail: { 'x-permission': 'none', ...condition(kind), security: [] } as object,
      transform: async (context: Entering) => {
        const { request } = context
        if (kind === 'password') requirePasswords(ctx)
        requireSameOrigin(ctx, request)
        requireJson(request)
        context.body = await requests.readBody(request)
      },
    }),
    signedIn: (kind: keyof typeof CALLERS) => ({
      detail: { 'x-permission': CALLERS[kind], ...condition(kind), security: SECURITY[kind] } as object,
      transform: async (context: Entering) => {
        const { request } = context
        if (kind === 'password') requirePasswords(ctx)
        await enter(request, kind)
        requireSameOrigin(ctx, request)
        requireJson(request)
        context.body = await requests.readBody(request)
      },
      resolve: ({ request }) => ({ caller: requests.callerOf(request) as SignedInUser }),
    }),
  })
}

/** What the deployment must have, whoever calls. */
const condition = (kind: string) => (kind === 'password' ? { 'x-condition': 'password authentication' } : {})

type Entering = { request: Request; body: unknown }

const EITHER = [{ cookie: [] }, { bearer: [] }]
const SECURITY = {
  session: EITHER,
  password: EITHER,
  cookie: [{ cookie: [] }],
  owner: [{ cookie: [] }],
} as const

function requirePasswords(ctx: Context): void {
  if (!ctx.config.passwordAuth) throw forbidden('Password authentication is switched off.')
}

/** A browser says where a request comes from; what is no browser says nothing, and has no cookie of somebody else. */
function requireSameOrigin({ config }: Context, request: Request): void {
  if (request.method === 'GET' || request.method === 'HEAD') return
  const origin = request.headers.get('origin')
  const site = request.headers.get('sec-fetch-site')
  const host = request.headers.get('host') ?? new URL(request.url).host
  const isOwn =
    (origin === null || isAllowedOrigin({ ...config, allowedOrigins: [config.origin] }, origin, host)) &&
    (site === null || site === 'same-origin')
  if (!isOwn) throw forbidden("This can only be asked by the service's own pages.")
}

/** Also where no body is needed: a form of another site can't send this content type. */
function requireJson(request: Request): void {
  if (request.method === 'GET' || request.method === 'HEAD') return
  if (!/^application\/json\s*(;|$)/i.test(request.headers.get('content-type') ?? '')) {
    throw new DomainError(415, 'The request must be sent as application/json.')
  }
}
