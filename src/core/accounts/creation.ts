import { randomUUID } from 'node:crypto'
import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import type { RequestSource } from '../actor.ts'
import { acceptFor, lockInvite } from '../invites/acceptance.ts'
import { createOrganisation } from '../organisations/creation.ts'
import { written } from '../rows.ts'
import { type AccountRow, emailKey } from './account.ts'
import { recordAccount } from './account-audit.ts'
import * as queries from './queries.ts'

/** An account to be created. */
export type NewAccount = Readonly<{
  email: string
  fullName: string
  /** Null where the account has no password. */
  passwordHash: string | null
  /** Whether whoever registers has proved that the address is theirs. */
  isVerified: boolean
  /** The name of the organisation that the first account creates. */
  organisationName: string
  /** The token of an invite to accept. */
  invite: string | null
  /** Whether there was no organisation when the request began. */
  isProbablyFirst: boolean
  /** Throws where an account that turns out not to be the first may not be registered. */
  requireAllowedLater: () => void
  source: RequestSource
  /** For the audit log. */
  description: string
}>

/**
 * Stores an account; the first of a deployment creates the organisation and becomes its Owner, a later one is a member
 * only by an invite. 409 for an address that has an account, and the errors of accepting an invite, which needs a
 * `lockingTransaction`.
 */
export async function createAccount(ctx: Context, tx: Transaction, account: NewAccount): Promise<AccountRow> {
  const { fullName: name, organisationName, source } = account
  const isFirst = account.isProbablyFirst && (await queries.lockDeployment(tx))[0]?.organisation_id === null
  if (account.isProbablyFirst && !isFirst) account.requireAllowedLater()
  // Before the account is stored: of two concurrent registrations with one invite, the second is told that it is used.
  const invite =
    account.invite === null ? null : await lockInvite(ctx, tx, account.invite, emailKey(account.email))
  const userId = await insertUser(ctx, tx, account, isFirst)
  if (invite !== null) await acceptFor(ctx, tx, invite, { userId, name, credential: null, source })
  else if (isFirst) await createOrganisation(ctx, tx, userId, organisationName)
  const created = written(await queries.find(tx, userId))
  await recordRegistration(ctx, tx, created, isFirst, account)
  return created
}

async function insertUser(
  ctx: Context,
  tx: Transaction,
  { email, fullName, passwordHash, isVerified }: NewAccount,
  isFirst: boolean,
): Promise<string> {
  const now = ctx.clock.now()
  const id = randomUUID()
  await queries.insertUser(tx, {
    id,
    email,
    email_key: emailKey(email),
    full_name: fullName,
    password_hash: passwordHash,
    email_verified_at: isVerified ? now : null,
    verification_required: ctx.config.smtp !== null && !isFirst,
    created_at: now,
    updated_at: now,
  })
  return id
}

async function recordRegistration(
  ctx: Context,
  tx: Transaction,
  account: AccountRow,
  isFirst: boolean,
  { source, description }: Pick<NewAccount, 'source' | 'description'>,
): Promise<void> {
  await recordAccount(
    ctx,
    tx,
    account,
    { source },
    {
      eventType: 'user.registered',
      resourceId: account.user_id,
      description,
    },
  )
  if (!isFirst || account.member_id === null) return
  await recordAccount(
    ctx,
    tx,
    account,
    { source },
    {
      eventType: 'organisation.created',
      resourceId: account.organisation_id,
      resourceMetadata: { name: account.organisation_name },
      description: `Organisation "${account.organisation_name}" created.`,
    },
  )
}
