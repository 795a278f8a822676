import { Elysia } from 'elysia'
import type { Context } from '../../context.ts'
import { type Actor, type Caller, isActor } from '../../core/actor.ts'
import { forbidden } from '../../core/errors.ts'
import type { IfMatch } from '../../core/etags.ts'
import { type Action, type AppClass, allows, type OrganisationClass } from '../../core/permissions.ts'
import { requireFactor } from '../../core/second-factor/requirement.ts'
import { audited } from './refusals.ts'
import type { RequestStates } from './requests.ts'

/** What a route checks itself: the request before its body is read, and the body before its schema is. */
export type OwnChecks = Readonly<{ request(request: Request): void; body(body: unknown): unknown }>

/** Users without a membership may call only `GET /v1/me`. */
const NOT_A_MEMBER = 'You are not a member of an organisation.'

/**
 * Declares on a route of `/v1` or `/service/secrets` who may call it: `permission` and `appPermission` require a permission of the caller's
 * role, `caller` a kind of caller, `public` nothing. The body is read after that is checked. What is checked must follow
 * from the caller's row and the configuration, never from the time: it is not checked again for an answer from memory.
 *
 * Each GET also declares `remember`: `true` where its answer depends on nothing but the caller and what renews the
 * version of the state, so that it can be sent from memory; `by` names request headers that it depends on, too. Otherwise
 * it says why it is `not`, or `never`. One that looks through much of the database declares `scans`.
 */
export const guard = (ctx: Context, requests: RequestStates) => {
  const authorise = async (
    request: Request,
    check: (caller: Caller) => void,
    { isForAnyone = false, own }: { isForAnyone?: boolean; own?: OwnChecks | undefined } = {},
  ): Promise<unknown> => {
    const checkCaller = (caller: Caller) => {
      if (!isForAnyone) requireFactor(caller)
      check(caller)
    }
    const admit = (caller: Caller) => {
      checkCaller(caller)
      if (isActor(caller)) requests.setCaller(request, { ...caller, checkAgain: checkCaller })
    }
    admit(await requests.authenticate(request))
    requests.requireUsableQuery(request)
    own?.request(request)
    await requests.waitForTurn(request)
    const body = await requests.readBody(request, async (isLate) => {
      if (isLate) admit(await requests.authenticateAgain(request))
    })
    return own === undefined ? body : own.body(body)
  }
  const actorOf = ({ request }: { request: Request }) => {
    requests.bodyIsChecked(request)
    return {
      actor: requests.callerOf(request) as Actor,
      ifMatch: request.headers.get('if-match') satisfies IfMatch,
    }
  }

  return new Elysia({ name: 'guard', normalize: false }).use(audited).macro({
    permission: ([resourceClass, action, plan]: readonly [OrganisationClass, Action, 'paid plan'?]) => ({
      detail: {
        'x-permission': `${resourceClass}: ${action}`,
        ...(plan !== undefined && { 'x-condition': plan }),
      } as object,
      transform: async (context: GuardInput) => {
        context.body = await authorise(context.request, (caller) => {
          requirePermission(caller, 'permissions', resourceClass, action)
          if (plan !== undefined && ctx.config.plan === 'free') {
            throw forbidden("Custom roles are not available on your organisation's plan.")
          }
        })
      },
      resolve: actorOf,
    }),
    appPermission: ([resourceClass, action, own]: readonly [AppClass, Action, OwnChecks?]) => ({
      detail: { 'x-permission': `${resourceClass} (app level): ${action}` } as object,
      transform: async (context: GuardInput) => {
        context.body = await authorise(
          context.request,
          (caller) => requirePermission(caller, 'appPermissions', resourceClass, action),
          { own },
        )
      },
      resolve: actorOf,
    }),
    caller: (kind: keyof typeof CALLER_DESCRIPTIONS) => ({
      detail: { 'x-permission': CALLER_DESCRIPTIONS[kind] } as object,
      transform: async (context: GuardInput) => {
        const check = (caller: Caller) => {
          if (kind === 'any') return
          if (!isActor(caller)) throw forbidden(NOT_A_MEMBER)
          if (kind === 'actor') return
          if (caller.type !== 'user') throw forbidden('Service accounts have no personal access tokens.')
          if (kind === 'signed-in member' && caller.credential.kind !== 'session') {
            throw forbidden('Create personal access tokens with a session token, not with an access token.')
          }
        }
        context.body = await authorise(context.request, check, { isForAnyone: kind === 'any' })
      },
      resolve: ({ request }) => ({ caller: requests.callerOf(request), ...actorOf({ request }) }),
    }),
    remember: (declared: Remembering) => ({
      detail: { [REMEMBER]: declared } as object,
    }),
    scans: (_: true) => ({
      detail: { [SCANS]: true } as object,
    }),
    anyContentType: (_: true) => ({
      detail: { [ANY_CONTENT_TYPE]: true } as object,
    }),
    public: (_: true) => ({
      detail: { 'x-permission': 'none', security: [] } as object,
    }),
  })
}

/**
 * Whether answers may be sent from memory, `by` which headers of the request they differ, or why `not`; why `never` where
 * not even a digest of an answer, its ETag, may go out.
 */
export type Remembering =
  | true
  | Readonly<{ by: readonly string[] }>
  | Readonly<{ not: string }>
  | Readonly<{ never: string }>

/** The key that says, in a route's `detail`, that its body is read as JSON whatever the Content-Type, for DELETE too. */
export const ANY_CONTENT_TYPE = 'x-any-content-type'

/** The key that says, in a route's `detail`, that it looks through much of the database. */
export const SCANS = 'x-scans'

/** The key of what a route declares as `remember`, in its `detail`. */
export const REMEMBER = 'x-remember'

const CALLER_DESCRIPTIONS = {
  any: 'any signed-in caller',
  actor: 'any member or service account',
  member: 'any member',
  'signed-in member': 'any member, with a session token',
} as const

/** What a guard gets of a request, and sets: the body. */
export type GuardInput = { request: Request; body: unknown }

function requirePermission(
  caller: Caller,
  level: 'permissions' | 'appPermissions',
  resourceClass: OrganisationClass | AppClass,
  action: Action,
): void {
  if (!isActor(caller)) throw forbidden(NOT_A_MEMBER)
  if (!allows(caller.role.permissions, level, resourceClass, action)) {
    throw forbidden(`You don't have permission to ${action} ${classInWords(resourceClass)}.`)
  }
}

/** `MemberPersonalAccessTokens` → `member personal access tokens`; abbreviations stay. */
const classInWords = (resourceClass: string): string =>
  resourceClass.replace(/[A-Z](?=[a-z])/g, (letter) => ` ${letter.toLowerCase()}`).trim()
