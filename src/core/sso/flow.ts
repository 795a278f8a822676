import { createHash } from 'node:crypto'
import { type Static, Type } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import type { SsoProvider } from '../../platform/sso/provider.ts'
import { findAccount } from '../accounts/accounts.ts'
import { countSetupTokenGuess, hasRightSetupToken } from '../accounts/registration.ts'
import type { RequestSource } from '../actor.ts'
import { authenticateCookie } from '../authentication/authenticate.ts'
import { hasOrganisation } from '../deployment.ts'
import { badRequest, DomainError, forbidden } from '../errors.ts'
import { preview } from '../invites/acceptance.ts'
import { siteOf } from '../networks.ts'
import { wakeNotices } from '../notices/notices.ts'
import { enforce } from '../policy.ts'
import { Id, StrictObject, Text } from '../schema.ts'
import type { SignedInUser } from '../sessions/session.ts'
import { type CompletedSignIn, completeSignIn } from '../sign-in/sign-in.ts'
import { countSsoStep } from '../sign-in/sign-in-limits.ts'
import { beforeChange } from '../transactions.ts'
import { type Attempt, attemptStep } from './attempt.ts'
import {
  checksOf,
  endOfFlow,
  type Flow,
  isState,
  newState,
  type Purpose,
  sealFlow,
  unsealFlow,
} from './flow-state.ts'
import { linkIdentity } from './linking.ts'
import * as policy from './policy.ts'
import { personOf } from './profile.ts'
import { findProvider } from './providers.ts'
import * as queries from './queries.ts'
import { resolveAccount } from './resolution.ts'
import { isReturnPath, ReturnPath, returnPathFault } from './return-path.ts'

/** The body that starts a sign-in: what must be in no address. */
export const StartSignIn = StrictObject({
  return_to: Type.Optional(ReturnPath()),
  invite: Type.Optional(Id({ description: 'The token of an invite, which is accepted in the same step.' })),
  setup_token: Type.Optional(Text(1024, { description: 'For the first account, where SETUP_TOKEN is set.' })),
})
export type StartSignIn = Static<typeof StartSignIn>

/** The body that starts linking an identity. */
export const StartLink = StrictObject({ return_to: Type.Optional(ReturnPath()) })
export type StartLink = Static<typeof StartLink>

/** Where to send the browser. */
export const Started = Type.Object({
  url: Type.String({ description: "The provider's address to send the browser to." }),
})

/** A flow that has begun; `cookie` is the value of the cookie that is named for `state`. */
export type StartedFlow = Readonly<{ url: string; provider: string; state: string; cookie: string }>

/** A flow that is complete, and the session that it has opened. */
export type FinishedFlow = Readonly<{ returnTo: string; signedIn: CompletedSignIn | null }>

/** Whose request it is. `leaveTurn` is called before a provider is asked, so that nobody waits for a slow one in line. */
export type Visitor = Readonly<{ source: RequestSource; leaveTurn: () => void }>

/** What a browser brings back from a provider: its cookies of the state, of its session and of its devices. */
export type Returning = Readonly<{
  callback: URL
  stateCookies: (state: string) => readonly string[]
  sessionCookie: string | null
  deviceCookies: readonly string[]
}>

/**
 * Begins a sign-in at a provider. 404 for an unknown provider or invite, 400 for a path that leads elsewhere, 403 for a
 * first account without the right setup token, 429 beyond the limits, 503 when the provider can't be reached.
 */
export async function startSignIn(
  ctx: Context,
  providerId: string,
  input: Readonly<{ return_to?: string; invite?: string; setup_token?: string }>,
  { source, leaveTurn }: Visitor,
): Promise<StartedFlow> {
  await countSsoStep(ctx, 'start', source.ipAddress)
  const provider = findProvider(ctx, providerId)
  return await attemptStep(ctx, source, provider, async () => {
    const isFirst = !(await hasOrganisation(ctx.db))
    if (isFirst) await countSetupTokenGuess(ctx, input.setup_token, source)
    const hasSetupToken = hasRightSetupToken(ctx.config, input.setup_token)
    // The other rules are for when it is known who signs in.
    enforce(policy.start, { isFirst, hasSetupToken })
    const invite = input.invite ?? null
    if (invite !== null) await preview(ctx, invite)
    leaveTurn()
    return await begin(ctx, provider, input.return_to ?? '/', { kind: 'sign-in', invite, hasSetupToken })
  })
}

/** Begins linking an identity to the account of a session, which must be the one that comes back. */
export async function startLink(
  ctx: Context,
  caller: SignedInUser,
  providerId: string,
  input: StartLink,
): Promise<StartedFlow> {
  const { userId, source, credential } = caller
  await beforeChange(ctx, caller, () => countSsoStep(ctx, 'start', source.ipAddress))
  const provider = findProvider(ctx, providerId)
  return await attemptStep(ctx, source, provider, async (attempt) => {
    attempt.account = (await beforeChange(ctx, caller, () => findAccount(ctx.db, userId))) ?? null
    const purpose = { kind: 'link', userId, sessionId: credential.id } as const
    return await begin(ctx, provider, input.return_to ?? '/', purpose)
  })
}

/**
 * Completes what was begun in this browser, once: signs in, or links the identity. Every failure is recorded, and told in
 * a sentence.
 */
export async function finish(
  ctx: Context,
  providerId: string,
  returning: Returning,
  { source, leaveTurn }: Visitor,
): Promise<FinishedFlow> {
  await countSsoStep(ctx, 'callback', source.ipAddress)
  const provider = findProvider(ctx, providerId)
  return await attemptStep(ctx, source, provider, async (attempt) => {
    const { flow, state } = requireFlow(ctx, attempt, provider, returning)
    await requireFirstUse(ctx, flow, state)
    const { purpose, returnTo } = flow
    const caller =
      purpose.kind === 'link' ? await requireSession(ctx, attempt, purpose, returning, source) : null
    leaveTurn()
    const checks = checksOf(ctx, state, provider.id)
    const profile = await provider.profileOf(returning.callback, checks, siteOf(source.ipAddress))
    const person = personOf(ctx, provider.name, profile)
    if (caller !== null || purpose.kind === 'link') {
      if (caller !== null) await linkIdentity(ctx, attempt, caller, provider, person)
      return { returnTo, signedIn: null }
    }
    const { account, identityId } = await resolveAccount(ctx, attempt, { provider, person, purpose, source })
    await wakeNotices(ctx)
    attempt.account = account
    const proof = { method: 'sso', identityId } as const
    const signedIn = await completeSignIn(ctx, account, proof, source, returning.deviceCookies)
    if (signedIn === null) throw forbidden(`Your account at ${provider.name} has just been unlinked.`)
    return { returnTo, signedIn }
  })
}

async function begin(
  ctx: Context,
  provider: SsoProvider,
  returnTo: string,
  purpose: Purpose,
): Promise<StartedFlow> {
  // Also for paths from a query, which no schema has checked.
  if (!isReturnPath(returnTo)) throw badRequest(returnPathFault('return_to'))
  const state = newState()
  const url = await provider.authorizationUrl(checksOf(ctx, state, provider.id))
  const flow = { provider: provider.id, returnTo, purpose, expiresAt: endOfFlow(ctx) }
  return { url: url.href, provider: provider.id, state, cookie: sealFlow(ctx, state, flow) }
}

/** The flow that this browser began with this provider. 400 when there is none. */
function requireFlow(
  ctx: Context,
  attempt: Attempt,
  provider: SsoProvider,
  { callback, stateCookies }: Returning,
): { flow: Flow; state: string } {
  const [state = '', ...others] = callback.searchParams.getAll('state')
  const cookies = isState(state) && others.length === 0 ? stateCookies(state) : []
  const flow = unsealFlow(ctx, state, provider.id, cookies)
  if (flow !== null) return { flow, state }
  attempt.cause =
    cookies.length > 0
      ? "The state's cookie has expired, or is of another provider or another SECRET_KEY."
      : `The browser has no cookie of this state. If that happens to everyone, people open Keyward at another address than ${ctx.config.origin}.`
  throw badRequest('This sign-in was not begun in this browser, or more than 10 minutes ago. Start again.')
}

/** Decided in the database, for all replicas. */
async function requireFirstUse(ctx: Context, { expiresAt }: Flow, state: string): Promise<void> {
  const hash = createHash('sha256').update(state).digest()
  if (await queries.markStateUsed(ctx.db, hash, expiresAt)) return
  throw badRequest('This sign-in has come back before. Start again.')
}

async function requireSession(
  ctx: Context,
  attempt: Attempt,
  { userId, sessionId }: Extract<Purpose, { kind: 'link' }>,
  { sessionCookie }: Returning,
  source: RequestSource,
): Promise<SignedInUser> {
  attempt.account = (await findAccount(ctx.db, userId)) ?? null
  const caller = await callerOf(ctx, sessionCookie, source)
  const isSameSession = caller?.userId === userId && caller.credential.id === sessionId
  enforce(policy.completeLink, { isSameSession })
  return caller as SignedInUser
}

async function callerOf(
  ctx: Context,
  cookie: string | null,
  source: RequestSource,
): Promise<SignedInUser | null> {
  try {
    return (await authenticateCookie(ctx, cookie, source)).caller
  } catch (error) {
    if (error instanceof DomainError) return null
    throw error
  }
}
