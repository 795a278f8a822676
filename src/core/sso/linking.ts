import { randomUUID } from 'node:crypto'
import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import { type AccountRow, emailKey } from '../accounts/account.ts'
import { recordAccount } from '../accounts/account-audit.ts'
import * as accounts from '../accounts/accounts.ts'
import { verifyAddress } from '../accounts/verification.ts'
import type { Credential, RequestSource } from '../actor.ts'
import { queueNotice } from '../notices/notices.ts'
import { enforce } from '../policy.ts'
import type { SignedInUser } from '../sessions/session.ts'
import { changeOwnSignIn } from '../sign-in/own-change.ts'
import type { Attempt } from './attempt.ts'
import * as policy from './policy.ts'
import type { Person } from './profile.ts'
import * as queries from './queries.ts'

/** What lets an identity be linked: a session, an operator's permission, an invite, or that the account is new. */
type LinkedBy = 'session' | 'operator' | 'invite' | 'registration'

/** An identity to be linked to an account. */
type NewIdentity = Readonly<{
  account: AccountRow
  provider: Readonly<{ id: string; name: string }>
  person: Person
  source: RequestSource
  credential?: Credential
  by: LinkedBy
}>

/**
 * Links a person's identity to the account that is signed in; does nothing when it is linked to it already. 409 when it
 * is another account's, or when the account has another one at this provider, 401 when the session has ended.
 */
export async function linkIdentity(
  ctx: Context,
  attempt: Attempt,
  caller: SignedInUser,
  provider: Readonly<{ id: string; name: string }>,
  person: Person,
): Promise<void> {
  const { userId, source, credential } = caller
  await changeOwnSignIn(ctx, caller, async (tx) => {
    const account = await accountOf(tx, userId)
    attempt.account = account
    const [[known], own] = [
      await queries.find(tx, person.issuer, person.subject),
      await queries.list(tx, userId),
    ]
    enforce(policy.link, {
      provider: provider.name,
      userId,
      linkedUserId: known?.user_id ?? null,
      hasAnother: own.some((identity) => identity.provider === provider.id && identity.id !== known?.id),
    })
    if (known === undefined) {
      await addIdentity(ctx, tx, { account, provider, person, source, credential, by: 'session' })
    }
    await bringUpToDate(ctx, tx, account, person, { source, credential })
  })
}

/** Stores an identity of an account that is locked or new, and tells its user; returns its id. Wake the queue after it. */
export async function addIdentity(
  ctx: Context,
  tx: Transaction,
  { account, provider, person, source, credential, by }: NewIdentity,
): Promise<string> {
  const id = randomUUID()
  const { issuer, subject } = person
  const { user_id } = account
  await queries.insert(tx, {
    id,
    user_id,
    provider: provider.id,
    issuer,
    subject,
    created_at: ctx.clock.now(),
  })
  await recordAccount(
    ctx,
    tx,
    account,
    { source, ...(credential && { credential }) },
    {
      eventType: 'user.identity_linked',
      resourceId: user_id,
      newValues: { provider: provider.id, by },
      description: `Sign-in with ${provider.name} added: ${REASONS[by]}.`,
    },
  )
  if (by !== 'registration') await queueNotice(ctx, tx, user_id, 'sign-in-method-added', provider.name)
  return id
}

const REASONS: Readonly<Record<LinkedBy, string>> = {
  session: 'linked from a session',
  operator: 'an operator has permitted it',
  invite: 'an invite let the owner of the address take over the account, which was never verified',
  registration: 'the account was registered with it',
}

/** Verifies the address of an account that is locked, where it is the person's, and names one without a name. */
export async function bringUpToDate(
  ctx: Context,
  tx: Transaction,
  { user_id: userId, email }: AccountRow,
  person: Person,
  { source, credential = null }: Readonly<{ source: RequestSource; credential?: Credential | null }>,
): Promise<void> {
  await accounts.nameIfEmpty(tx, userId, person.fullName, ctx.clock.now())
  if (emailKey(email) === person.emailKey) await verifyAddress(ctx, tx, userId, source, credential)
}

/** The account of a user who exists. */
export async function accountOf(tx: Transaction, userId: string): Promise<AccountRow> {
  const account = await accounts.findAccount(tx, userId)
  if (account === undefined) throw new Error('the user of an identity has no account')
  return account
}
