import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import { type AccountRow, emailKey } from '../accounts/account.ts'
import * as accounts from '../accounts/accounts.ts'
import { createAccount } from '../accounts/creation.ts'
import * as registration from '../accounts/policy.ts'
import type { RequestSource } from '../actor.ts'
import { hasOrganisation } from '../deployment.ts'
import { acceptFor, lockInvite } from '../invites/acceptance.ts'
import { enforce } from '../policy.ts'
import { removeWaysIn } from '../sign-in/ways-in.ts'
import { lockingTransaction, transaction } from '../transactions.ts'
import type { Attempt } from './attempt.ts'
import type { Purpose } from './flow-state.ts'
import { accountOf, addIdentity, bringUpToDate } from './linking.ts'
import * as policy from './policy.ts'
import type { Person } from './profile.ts'
import * as queries from './queries.ts'

/** Who signs in, at which provider, and what the sign-in was started with. */
export type SignIn = Readonly<{
  provider: Readonly<{ id: string; name: string }>
  person: Person
  purpose: Extract<Purpose, { kind: 'sign-in' }>
  source: RequestSource
}>

/** The account that somebody signs in to, and the identity by which. */
export type Resolved = Readonly<{ account: AccountRow; identityId: string }>

/**
 * The account of a person: the one with this identity; else one with this address, where an operator has permitted to
 * link it, or an invite lets its address's owner take it over; else a new one. 403 with the reason otherwise, and the
 * errors of accepting an invite.
 */
export async function resolveAccount(ctx: Context, attempt: Attempt, signIn: SignIn): Promise<Resolved> {
  const { person, purpose } = signIn
  const isProbablyFirst = !(await hasOrganisation(ctx.db))
  // Accepting an invite takes the organisation's lock.
  const begin: typeof transaction =
    purpose.invite === null
      ? transaction
      : (ctx, work) => lockingTransaction(ctx, { caller: person.emailKey }, work)
  return begin(ctx, async (tx) => {
    const [known] = await queries.find(tx, person.issuer, person.subject)
    if (known !== undefined) return await openKnown(ctx, tx, attempt, signIn, known)
    const { invite: token } = purpose
    const invite = token === null ? null : await lockInvite(ctx, tx, token, person.emailKey)
    await queries.lockAddress(tx, person.emailKey)
    // Read again: another sign-in may have held the lock.
    const [made] = await queries.find(tx, person.issuer, person.subject)
    if (made !== undefined) return await openKnown(ctx, tx, attempt, { ...signIn, purpose: NO_INVITE }, made)
    const existing = await accounts.lockAccountByEmail(tx, person.email)
    if (existing === undefined) return await registerAccount(ctx, tx, signIn, isProbablyFirst)
    attempt.account = await accountOf(tx, existing.id)
    const identityId = await takeAccount(ctx, tx, signIn, attempt.account, invite !== null)
    if (invite !== null) await acceptAs(ctx, tx, invite, attempt.account, signIn)
    return { account: await accountOf(tx, existing.id), identityId }
  })
}

const NO_INVITE = { kind: 'sign-in', invite: null, hasSetupToken: false } as const

/** Brings the account up to what the provider says, and accepts the invite if there is one and it is not a member. */
async function openKnown(
  ctx: Context,
  tx: Transaction,
  attempt: Attempt,
  signIn: SignIn,
  { id, user_id: userId }: queries.IdentityRow,
): Promise<Resolved> {
  const { person, purpose } = signIn
  const before = await accountOf(tx, userId)
  attempt.account = before
  const invite =
    purpose.invite === null || before.member_id !== null
      ? null
      : await lockInvite(ctx, tx, purpose.invite, emailKey(before.email))
  await accounts.lockAccount(tx, userId)
  await bringUpToDate(ctx, tx, before, person, signIn)
  if (invite !== null) await acceptAs(ctx, tx, invite, before, signIn)
  return { account: await accountOf(tx, userId), identityId: id }
}

async function registerAccount(
  ctx: Context,
  tx: Transaction,
  signIn: SignIn,
  isProbablyFirst: boolean,
): Promise<Resolved> {
  const { provider, person, purpose, source } = signIn
  const requireAllowed = (isFirst: boolean) =>
    enforce(registration.register, {
      isFirst,
      hasSetupToken: ctx.config.setupToken === null || purpose.hasSetupToken,
      isOpen: ctx.config.registration === 'open',
      hasInvite: purpose.invite !== null,
      // Checked before, of everyone who signs in.
      isAllowedAddress: true,
    })
  requireAllowed(isProbablyFirst)
  const account = await createAccount(ctx, tx, {
    email: person.email,
    fullName: person.fullName,
    passwordHash: null,
    isVerified: true,
    organisationName: 'My organisation',
    invite: purpose.invite,
    isProbablyFirst,
    requireAllowedLater: () => requireAllowed(false),
    source,
    description: `Account registered with ${provider.name}.`,
  })
  const identityId = await addIdentity(ctx, tx, { account, provider, person, source, by: 'registration' })
  return { account, identityId }
}

/** Links the person's identity to the account of the same address, if it may be; the account must be locked. */
async function takeAccount(
  ctx: Context,
  tx: Transaction,
  { provider, person, source }: SignIn,
  account: AccountRow,
  hasInvite: boolean,
): Promise<string> {
  const { user_id: userId } = account
  const isPermitted = await accounts.useLinkPermission(tx, userId, ctx.clock.now())
  const isUnclaimed = await accounts.isUnclaimed(tx, account)
  enforce(policy.takeAccount, { provider: provider.name, isPermitted, hasInvite, isUnclaimed })
  // Whoever registered the address without verifying it keeps no way in.
  if (!isPermitted) await removeWaysIn(ctx, tx, userId)
  const by = isPermitted ? 'operator' : 'invite'
  const identityId = await addIdentity(ctx, tx, { account, provider, person, source, by })
  await bringUpToDate(ctx, tx, account, person, { source })
  return identityId
}

/** Makes the account a member by an invite that is locked. */
const acceptAs = (
  ctx: Context,
  tx: Transaction,
  invite: Awaited<ReturnType<typeof lockInvite>>,
  { user_id: userId, full_name: name }: AccountRow,
  { source }: SignIn,
): Promise<void> => acceptFor(ctx, tx, invite, { userId, name, credential: null, source })
