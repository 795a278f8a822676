import { createHash, randomUUID, timingSafeEqual } from 'node:crypto'
import { type Static, Type } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import type { RequestOrigin } from '../actor.ts'
import { recordAs } from '../audit/audit.ts'
import { conflict } from '../errors.ts'
import { acceptFor, lockInvite, requireInviteFor } from '../invites/acceptance.ts'
import { sendVerification } from '../links/email-links.ts'
import { createOrganisation } from '../organisations/creation.ts'
import { enforce } from '../policy.ts'
import { Email, Id, Name, StrictObject, Text } from '../schema.ts'
import { deviceCookie } from '../sign-in/devices.ts'
import { countRegistration, countSetupToken } from '../sign-in/sign-in-limits.ts'
import { normaliseName } from '../text.ts'
import { lockingTransaction, transaction } from '../transactions.ts'
import {
  Account,
  type AccountRow,
  auditActorOf,
  emailKey,
  NewPassword,
  needsVerification,
  presentAccount,
} from './account.ts'
import * as policy from './policy.ts'
import * as queries from './queries.ts'

/** The body that registers an account. */
export const Register = StrictObject({
  email: Email(),
  password: NewPassword(),
  full_name: Type.Optional(Name(128)),
  organisation_name: Type.Optional(Name(64, { description: 'For the first account: the organisation.' })),
  invite: Type.Optional(Id({ description: 'The token of an invite, which is accepted at once.' })),
  setup_token: Type.Optional(Text(1024, { description: 'For the first account, where SETUP_TOKEN is set.' })),
})
export type Register = Static<typeof Register>

/** What a registration answers. */
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
 * Registers an account. The first of a deployment founds the organisation as its Owner; a later one belongs to none
 * unless it accepts an invite. 403 without the setup token or invite that the deployment asks for, 409 for an address
 * that has an account; 429 for too many setup tokens or registrations; what an invite may be refused for, see its
 * acceptance. An invite that is refused is so before anyone is told whether the address has an account. Gives the
 * browser a device cookie too, so that strangers can't stand before its first sign-in.
 */
export async function register(
  ctx: Context,
  input: Register,
  origin: RequestOrigin,
  deviceCookies: readonly string[],
): Promise<{ answer: Registered; deviceCookie: string }> {
  const key = emailKey(input.email)
  const [state] = await queries.registrationState(ctx.db, key)
  const seemsFirst = state?.organisation_id === null
  const isGuess = seemsFirst && ctx.config.setupToken !== null && input.setup_token !== undefined
  if (isGuess) await countSetupToken(ctx, origin.ipAddress)
  enforce(policy.register, factsOf(ctx.config, seemsFirst, input))
  if (input.invite !== undefined) await requireInviteFor(ctx, input.invite, key)
  else if (!seemsFirst) await countRegistration(ctx, origin.ipAddress)
  if (state?.email_taken) throw conflict('An account with this e-mail address already exists.')
  const passwordHash = await ctx.passwords.hash(input.password)

  // Whoever accepts an invite takes the organisation's lock.
  const begin = input.invite === undefined ? transaction : lockingTransaction
  const registered = await begin(ctx, async (tx) => {
    const isFirst = seemsFirst && (await queries.lockDeployment(tx))[0]?.organisation_id === null
    if (seemsFirst && !isFirst) enforce(policy.register, factsOf(ctx.config, false, input))
    // Before the account: of two registrations with one invite the second finds the invite used, whenever it comes.
    const offer = input.invite === undefined ? null : await lockInvite(ctx, tx, input.invite, key)
    const userId = await insertUser(ctx, tx, input, passwordHash, isFirst)
    if (offer !== null) {
      const name = normaliseName(input.full_name ?? '')
      await acceptFor(ctx, tx, offer, { userId, name, credential: null, origin })
    } else if (isFirst) {
      await createOrganisation(ctx, tx, userId, normaliseName(input.organisation_name ?? 'My organisation'))
    }
    const [account] = await queries.findAccountOf(tx, userId)
    if (account === undefined) throw new Error('an account that was just registered is not there')
    await recordRegistration(ctx, tx, account, isFirst, origin)
    const verificationRequired = needsVerification(ctx, account)
    if (verificationRequired) await sendVerification(ctx, tx, userId)
    return {
      answer: { ...presentAccount(ctx, account), verificationRequired },
      deviceCookie: deviceCookie(ctx, account, deviceCookies),
    }
  })
  if (registered.answer.verificationRequired) await ctx.queue.wake()
  return registered
}

/** What the policy looks at. Any setup token is good where the deployment asks for none. */
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

/** Compared as hashes: the time tells neither how long the secret is nor where the first difference stands. */
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
  origin: RequestOrigin,
): Promise<void> {
  const { deployment_organisation_id: organisationId } = account
  if (organisationId === null) return
  const author = auditActorOf(account, null, origin)
  await recordAs(ctx, tx, author, organisationId, {
    eventType: 'user.registered',
    resourceId: account.user_id,
    description: 'Account registered.',
  })
  if (!isFirst || account.member_id === null) return
  await recordAs(ctx, tx, author, organisationId, {
    eventType: 'organisation.created',
    resourceId: organisationId,
    resourceMetadata: { name: account.organisation_name },
    description: `Organisation "${account.organisation_name}" created.`,
  })
}
