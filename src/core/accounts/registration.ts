import { createHash, randomUUID, timingSafeEqual } from 'node:crypto'
import { type Static, Type } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import type { RequestSource } from '../actor.ts'
import { conflict } from '../errors.ts'
import { acceptFor, lockInvite, requireInviteFor } from '../invites/acceptance.ts'
import { sendVerification } from '../links/email-links.ts'
import { wakeNotices } from '../notices/notices.ts'
import { createOrganisation } from '../organisations/creation.ts'
import { enforce } from '../policy.ts'
import { written } from '../rows.ts'
import { Email, Id, Name, StrictObject, Text } from '../schema.ts'
import { deviceCookie } from '../sign-in/devices.ts'
import { countRegistration, countSetupToken } from '../sign-in/sign-in-limits.ts'
import { normaliseName } from '../text.ts'
import { lockingTransaction, transaction } from '../transactions.ts'
import {
  Account,
  type AccountRow,
  emailKey,
  NewPassword,
  needsVerification,
  presentAccount,
} from './account.ts'
import { recordAccount } from './account-audit.ts'
import * as policy from './policy.ts'
import * as queries from './queries.ts'

/** The body that registers an account. */
export const Register = StrictObject({
  email: Email(),
  password: NewPassword(),
  full_name: Type.Optional(Name(128)),
  organisation_name: Type.Optional(Name(64, { description: 'For the first account: the organisation.' })),
  invite: Type.Optional(Id({ description: 'The token of an invite, which is accepted in the same step.' })),
  setup_token: Type.Optional(Text(1024, { description: 'For the first account, where SETUP_TOKEN is set.' })),
})
export type Register = Static<typeof Register>

/** The response to a registration. */
export const Registered = Type.Composite([
  Account,
  Type.Object({
    verificationRequired: Type.Boolean({
      description: 'Whether the address must be verified before a sign-in.',
    }),
  }),
])
export type Registered = Static<typeof Registered>

/**
 * Registers an account. The first of a deployment creates the organisation and becomes its Owner; a later one is not a
 * member unless it accepts an invite. 403 without the setup token or invite that the deployment asks for, 409 for an
 * address that has an account, 429 for too many setup tokens or registrations, and the errors of accepting an invite.
 * The invite is checked before the address, so that only its holder learns whether the address has an account. Returns a
 * device cookie too, so that strangers' attempts can't block the first sign-in.
 */
export async function register(
  ctx: Context,
  input: Register,
  source: RequestSource,
  deviceCookies: readonly string[],
): Promise<{ answer: Registered; deviceCookie: string }> {
  const key = emailKey(input.email)
  const [state] = await queries.registrationState(ctx.db, key)
  const isProbablyFirst = state?.organisation_id === null
  const isGuess = isProbablyFirst && ctx.config.setupToken !== null && input.setup_token !== undefined
  if (isGuess) await countSetupToken(ctx, source.ipAddress)
  enforce(policy.register, factsOf(ctx.config, isProbablyFirst, input))
  if (input.invite !== undefined) await requireInviteFor(ctx, input.invite, key)
  else if (!isProbablyFirst) await countRegistration(ctx, source.ipAddress)
  if (state?.email_taken) throw conflict('An account with this e-mail address already exists.')
  const passwordHash = await ctx.passwords.hash(input.password)

  // Accepting an invite takes the organisation's lock.
  const begin: typeof transaction =
    input.invite === undefined ? transaction : (ctx, work) => lockingTransaction(ctx, key, work)
  const registered = await begin(ctx, async (tx) => {
    const isFirst = isProbablyFirst && (await queries.lockDeployment(tx))[0]?.organisation_id === null
    if (isProbablyFirst && !isFirst) enforce(policy.register, factsOf(ctx.config, false, input))
    // Before the account is stored: of two concurrent registrations with one invite, the second is told that it is used.
    const invite = input.invite === undefined ? null : await lockInvite(ctx, tx, input.invite, key)
    const userId = await insertUser(ctx, tx, input, passwordHash, isFirst)
    if (invite !== null) {
      const name = normaliseName(input.full_name ?? '')
      await acceptFor(ctx, tx, invite, { userId, name, credential: null, source })
    } else if (isFirst) {
      await createOrganisation(ctx, tx, userId, normaliseName(input.organisation_name ?? 'My organisation'))
    }
    const account = written(await queries.find(tx, userId))
    await recordRegistration(ctx, tx, account, isFirst, source)
    const verificationRequired = needsVerification(ctx, account)
    if (verificationRequired) await sendVerification(ctx, tx, userId)
    return {
      answer: { ...presentAccount(ctx, account), verificationRequired },
      deviceCookie: deviceCookie(ctx, account, deviceCookies),
    }
  })
  await wakeNotices(ctx)
  return registered
}

/** The facts that the policy needs. Without SETUP_TOKEN, no setup token is needed. */
export const factsOf = (
  config: Pick<Context['config'], 'setupToken' | 'registration'>,
  isFirst: boolean,
  input: Pick<Register, 'setup_token' | 'invite'>,
) => ({
  isFirst,
  hasSetupToken: config.setupToken === null || isSame(config.setupToken, input.setup_token ?? ''),
  isOpen: config.registration === 'open',
  hasInvite: input.invite !== undefined,
})

/** Compares hashes, so that the time depends neither on the secret's length nor on the first difference. */
function isSame(secret: string, given: string): boolean {
  const [a, b] = [secret, given].map((text) => createHash('sha256').update(text).digest())
  return a !== undefined && b !== undefined && timingSafeEqual(a, b)
}

async function insertUser(
  ctx: Context,
  tx: Transaction,
  input: Register,
  passwordHash: string,
  isFirst: boolean,
): Promise<string> {
  const now = ctx.clock.now()
  const id = randomUUID()
  await queries.insertUser(tx, {
    id,
    email: input.email,
    email_key: emailKey(input.email),
    full_name: normaliseName(input.full_name ?? ''),
    password_hash: passwordHash,
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
  source: RequestSource,
): Promise<void> {
  await recordAccount(
    ctx,
    tx,
    account,
    { source },
    {
      eventType: 'user.registered',
      resourceId: account.user_id,
      description: 'Account registered.',
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
