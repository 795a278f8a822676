import { Elysia } from 'elysia'
import type { Context } from '../../context.ts'
import { authenticateCookie, authenticateSessionToken } from '../../core/authentication/authenticate.ts'
import { DomainError, forbidden } from '../../core/errors.ts'
import { requireRecentlySignedInOwner } from '../../core/organisations/ownership-transfer.ts'
import { requireFactor } from '../../core/second-factor/requirement.ts'
import { requireRecentSignIn } from '../../core/sessions/recent-sign-in.ts'
import type { SignedInUser } from '../../core/sessions/session.ts'
import { isAllowedOrigin } from '../../platform/http/hosts.ts'
import { readSessionCookie } from './cookies.ts'
import type { GuardInput } from './guard.ts'
import { audited } from './refusals.ts'
import { hostOf, type RequestStates } from './requests.ts'

const CALLER_DESCRIPTIONS = {
  any: 'any signed-in user, by session cookie or session token',
  passwordAuth: 'any signed-in user, by session cookie or session token',
  cookie: 'any signed-in user, by session cookie',
  recent: 'any signed-in user, by session cookie, signed in within the last 10 minutes',
  owner: 'the Owner, by session cookie, signed in within the last 10 minutes',
  signOut: 'any signed-in user, by session cookie or session token',
  factors: 'any signed-in user, by session cookie',
  changeFactors: 'any signed-in user, by session cookie, signed in within the last 10 minutes',
} as const

/** What a session may do that lacks a required second factor. */
const WITHOUT_FACTOR: readonly string[] = ['signOut', 'factors', 'changeFactors']

/** What takes no session token: a page that only has one must not change how its user signs in. */
const COOKIE_ONLY: readonly string[] = ['cookie', 'recent', 'owner', 'factors', 'changeFactors']

/**
 * Declares on a route under `/service/auth/` who may call it: `public` anyone, `session` a user with a session. With
 * `passwordAuth`, both are 403 while password authentication is off. Since browsers send the cookie by themselves,
 * requests other than GET must be JSON and must not come from other sites.
 */
export const sessionGuard = (ctx: Context, requests: RequestStates) => {
  const authorise = async (request: Request, kind: keyof typeof CALLER_DESCRIPTIONS): Promise<void> => {
    const { source } = requests.of(request)
    const authorization = COOKIE_ONLY.includes(kind) ? null : request.headers.get('authorization')
    if (authorization !== null) {
      const caller = await authenticateSessionToken(ctx, authorization, source)
      requests.setCaller(request, caller)
      if (!WITHOUT_FACTOR.includes(kind)) requireFactor(caller)
      return
    }
    const cookie = readSessionCookie(ctx.config, request)
    const { caller, signedInAt } = await authenticateCookie(ctx, cookie, source)
    requests.setCaller(request, caller)
    if (!WITHOUT_FACTOR.includes(kind)) requireFactor(caller)
    if (kind === 'owner') requireRecentlySignedInOwner(ctx, caller, signedInAt)
    if (kind === 'recent' || kind === 'changeFactors') requireRecentSignIn(ctx, signedInAt)
  }

  return new Elysia({ name: 'session-guard', normalize: false }).use(audited).macro({
    public: (kind: true | 'passwordAuth') => ({
      detail: { 'x-permission': 'none', ...condition(kind), security: [] } as object,
      transform: async (context: GuardInput) => {
        const { request } = context
        if (kind === 'passwordAuth') requirePasswordAuth(ctx)
        requireSameOrigin(ctx, request)
        requireJson(request)
        requests.requireUsableQuery(request)
        context.body = await requests.readBody(request)
        await requests.waitForPublicTurn(request)
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
        requests.requireUsableQuery(request)
        await requests.waitForTurn(request)
        context.body = await requests.readBody(request)
      },
      resolve: ({ request }) => ({ caller: requests.callerOf(request) as SignedInUser }),
    }),
  })
}

/** What the deployment must have switched on. */
const condition = (kind: true | keyof typeof CALLER_DESCRIPTIONS) =>
  kind === 'passwordAuth' ? { 'x-condition': 'password authentication' } : {}

const COOKIE_OR_TOKEN = [{ cookie: [] }, { bearer: [] }]
const SECURITY = {
  any: COOKIE_OR_TOKEN,
  passwordAuth: COOKIE_OR_TOKEN,
  signOut: COOKIE_OR_TOKEN,
  cookie: [{ cookie: [] }],
  recent: [{ cookie: [] }],
  owner: [{ cookie: [] }],
  factors: [{ cookie: [] }],
  changeFactors: [{ cookie: [] }],
} as const

function requirePasswordAuth(ctx: Context): void {
  if (!ctx.config.passwordAuth) throw forbidden('Password authentication is switched off.')
}

/** Browsers send `Origin` or `Sec-Fetch-Site`. Other clients send neither, and hold only their own cookie. */
function requireSameOrigin({ config }: Context, request: Request): void {
  if (request.method === 'GET' || request.method === 'HEAD') return
  const origin = request.headers.get('origin')
  const site = request.headers.get('sec-fetch-site')
  const isSameOrigin =
    (origin === null ||
      isAllowedOrigin({ ...config, allowedOrigins: [config.origin] }, origin, hostOf(request))) &&
    (site === null || site === 'same-origin')
  if (!isSameOrigin) throw forbidden('Requests from other sites are not allowed.')
}

/** Required even without a body: a cross-site form can't send this content type. */
function requireJson(request: Request): void {
  if (request.method === 'GET' || request.method === 'HEAD') return
  if (!/^application\/json\s*(;|$)/i.test(request.headers.get('content-type') ?? '')) {
    throw new DomainError(415, 'The request must be sent as application/json.')
  }
}
