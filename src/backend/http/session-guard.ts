import { Elysia } from 'elysia'
import type { Context } from '../../context.ts'
import { DomainError, forbidden } from '../../core/errors.ts'
import { requireRecentlySignedInOwner } from '../../core/organisations/ownership-transfer.ts'
import type { SignedInUser } from '../../core/sessions/session.ts'
import * as sessions from '../../core/sessions/sessions.ts'
import { isAllowedOrigin } from '../../platform/http/hosts.ts'
import { readSessionCookie } from './cookies.ts'
import { audited } from './refusals.ts'
import type { RequestStates } from './requests.ts'

/** Who may call a route under `/service/auth/` that asks for a session, and with what. */
const CALLER_DESCRIPTIONS = {
  any: 'any signed-in user, by session cookie or session token',
  passwordAuth: 'any signed-in user, by session cookie or session token',
  cookie: 'any signed-in user, by session cookie',
  owner: 'the Owner, by the session cookie of a sign-in of the last 10 minutes',
} as const

/**
 * What a route under `/service/auth/` asks of its caller: `public` nothing, `session` a session. With `passwordAuth`,
 * either answers 403 while password authentication is off, whoever calls and whatever the body. Since browsers send the
 * cookie by themselves, whatever is not a GET must come from the service's own pages and be JSON.
 */
export const sessionGuard = (ctx: Context, requests: RequestStates) => {
  const authorise = async (request: Request, kind: keyof typeof CALLER_DESCRIPTIONS): Promise<void> => {
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
    public: (kind: true | 'passwordAuth') => ({
      detail: { 'x-permission': 'none', ...condition(kind), security: [] } as object,
      transform: async (context: GuardInput) => {
        const { request } = context
        if (kind === 'passwordAuth') requirePasswordAuth(ctx)
        requireSameOrigin(ctx, request)
        requireJson(request)
        context.body = await requests.readBody(request)
      },
    }),
    session: (kind: keyof typeof CALLER_DESCRIPTIONS) => ({
      detail: {
        'x-permission': CALLER_DESCRIPTIONS[kind],
        ...condition(kind),
        security: SECURITY[kind],
      } as object,
      transform: async (context: GuardInput) => {
        const { request } = context
        if (kind === 'passwordAuth') requirePasswordAuth(ctx)
        await authorise(request, kind)
        requireSameOrigin(ctx, request)
        requireJson(request)
        context.body = await requests.readBody(request)
      },
      resolve: ({ request }) => ({ caller: requests.callerOf(request) as SignedInUser }),
    }),
  })
}

/** What the deployment must have, whoever calls. */
const condition = (kind: true | keyof typeof CALLER_DESCRIPTIONS) =>
  kind === 'passwordAuth' ? { 'x-condition': 'password authentication' } : {}

type GuardInput = { request: Request; body: unknown }

const COOKIE_OR_TOKEN = [{ cookie: [] }, { bearer: [] }]
const SECURITY = {
  any: COOKIE_OR_TOKEN,
  passwordAuth: COOKIE_OR_TOKEN,
  cookie: [{ cookie: [] }],
  owner: [{ cookie: [] }],
} as const

function requirePasswordAuth(ctx: Context): void {
  if (!ctx.config.passwordAuth) throw forbidden('Password authentication is switched off.')
}

/** Browsers name the site that a request comes from. Other clients send neither header, and hold nobody else's cookie. */
function requireSameOrigin({ config }: Context, request: Request): void {
  if (request.method === 'GET' || request.method === 'HEAD') return
  const origin = request.headers.get('origin')
  const site = request.headers.get('sec-fetch-site')
  const host = request.headers.get('host') ?? new URL(request.url).host
  const isSameOrigin =
    (origin === null || isAllowedOrigin({ ...config, allowedOrigins: [config.origin] }, origin, host)) &&
    (site === null || site === 'same-origin')
  if (!isSameOrigin) throw forbidden('Requests from other sites are not allowed.')
}

/** Also where no body is needed: a form of another site can't send this content type. */
function requireJson(request: Request): void {
  if (request.method === 'GET' || request.method === 'HEAD') return
  if (!/^application\/json\s*(;|$)/i.test(request.headers.get('content-type') ?? '')) {
    throw new DomainError(415, 'The request must be sent as application/json.')
  }
}
