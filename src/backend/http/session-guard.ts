import { Elysia } from 'elysia'
import type { Context } from '../../context.ts'
import { authenticateCookie, authenticateSessionToken } from '../../core/authentication/authenticate.ts'
import { DomainError, forbidden } from '../../core/errors.ts'
import { requireRecentlySignedInOwner } from '../../core/organisations/ownership-transfer.ts'
import { requireFactor } from '../../core/second-factor/requirement.ts'
import { requireRecentSignIn } from '../../core/sessions/recent-sign-in.ts'
import type { SignedInUser } from '../../core/sessions/session.ts'
import { memberDevice } from '../../core/sign-in/devices.ts'
import { isAllowedOrigin } from '../../platform/http/hosts.ts'
import { readDeviceCookies, readSessionCookie } from './cookies.ts'
import type { GuardInput } from './guard.ts'
import { audited } from './refusals.ts'
import { hostOf, type RequestStates } from './requests.ts'

/** What a kind of route asks of a session. */
type Demands = {
  /** A page that only has a session token must not change how its user signs in. */
  cookieOnly?: true
  recent?: true
  owner?: true
  /** Also for a session that lacks a required second factor. */
  withoutFactor?: true
}

const KINDS = {
  any: {},
  passwordAuth: {},
  cookie: { cookieOnly: true },
  recent: { cookieOnly: true, recent: true },
  owner: { cookieOnly: true, recent: true, owner: true },
  signOut: { withoutFactor: true },
  factors: { cookieOnly: true, withoutFactor: true },
  changeFactors: { cookieOnly: true, recent: true, withoutFactor: true },
} as const satisfies Record<string, Demands>

type Kind = keyof typeof KINDS

/**
 * Declares on a route under `/service/auth/` who may call it: `public` anyone, `session` a user with a session. With
 * `passwordAuth`, both are 403 while password authentication is off. Since browsers send the cookie by themselves,
 * requests other than GET must be JSON and must not come from other sites.
 */
export const sessionGuard = (ctx: Context, requests: RequestStates) => {
  const authorise = async (request: Request, kind: Kind): Promise<void> => {
    const { source } = requests.of(request)
    const { cookieOnly, recent, owner, withoutFactor }: Demands = KINDS[kind]
    const authorization = cookieOnly ? null : request.headers.get('authorization')
    const { caller, signedInAt } =
      authorization === null
        ? await authenticateCookie(ctx, readSessionCookie(ctx.config, request), source)
        : { caller: await authenticateSessionToken(ctx, authorization, source), signedInAt: null }
    requests.setCaller(request, caller)
    if (!withoutFactor) requireFactor(caller)
    if (signedInAt === null) return
    if (owner) requireRecentlySignedInOwner(ctx, caller, signedInAt)
    else if (recent) requireRecentSignIn(ctx, signedInAt)
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
        const device = memberDevice(ctx, readDeviceCookies(ctx.config, request))
        context.body = await requests.readBody(request, () => requests.waitForPublicTurn(request, device))
      },
      resolve: ({ request }) => {
        requests.bodyIsChecked(request)
        return {}
      },
    }),
    session: (kind: Kind) => ({
      detail: {
        'x-permission': describe(KINDS[kind]),
        ...condition(kind),
        security: securityOf(KINDS[kind]),
      } as object,
      transform: async (context: GuardInput) => {
        const { request } = context
        if (kind === 'passwordAuth') requirePasswordAuth(ctx)
        await authorise(request, kind)
        requireSameOrigin(ctx, request)
        requireJson(request)
        requests.requireUsableQuery(request)
        await requests.waitForTurn(request)
        context.body = await requests.readBody(request, async (isLate) => {
          if (isLate) await authorise(request, kind)
        })
      },
      resolve: ({ request }) => {
        requests.bodyIsChecked(request)
        return { caller: requests.callerOf(request) as SignedInUser }
      },
    }),
  })
}

/** What the deployment must have switched on. */
const condition = (kind: true | Kind) =>
  kind === 'passwordAuth' ? { 'x-condition': 'password authentication' } : {}

const describe = ({ cookieOnly, recent, owner }: Demands): string =>
  (owner ? 'the Owner' : 'any signed-in user') +
  (cookieOnly ? ', by session cookie' : ', by session cookie or session token') +
  (recent ? ', signed in within the last 10 minutes' : '')

const securityOf = ({ cookieOnly }: Demands) =>
  cookieOnly ? [{ cookie: [] }] : [{ cookie: [] }, { bearer: [] }]

function requirePasswordAuth({ config }: Context): void {
  if (!config.passwordAuth) throw forbidden('Password authentication is switched off.')
  if (!config.passwordHashing) throw new DomainError(501, NO_HASHING)
}

const NO_HASHING =
  'This deployment hashes no passwords (PASSWORD_HASHING is false): sign in with a passkey or a provider.'

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
