import { createHash, timingSafeEqual } from 'node:crypto'
import { type Static, Type } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import type { RequestSource } from '../actor.ts'
import { conflict } from '../errors.ts'
import { requireInviteFor } from '../invites/acceptance.ts'
import { sendVerification } from '../links/email-links.ts'
import { siteOf } from '../networks.ts'
import { wakeNotices } from '../notices/notices.ts'
import { enforce } from '../policy.ts'
import { Email, Id, Name, StrictObject, Text } from '../schema.ts'
import { deviceCookie } from '../sign-in/devices.ts'
import { countRegistration, countSetupToken } from '../sign-in/sign-in-limits.ts'
import { normaliseName } from '../text.ts'
import { lockingTransaction, transaction } from '../transactions.ts'
import { Account, emailKey, NewPassword, needsVerification, presentAccount } from './account.ts'
import { isAllowedAddress } from './addresses.ts'
import { createAccount } from './creation.ts'
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
  if (isProbablyFirst) await countSetupTokenGuess(ctx, input.setup_token, source)
  enforce(policy.register, factsOf(ctx.config, isProbablyFirst, input))
  if (input.invite !== undefined) await requireInviteFor(ctx, input.invite, key)
  else if (!isProbablyFirst) await countRegistration(ctx, source.ipAddress)
  if (state?.email_taken) throw conflict('An account with this e-mail address already exists.')
  // Whoever has an invite does not wait in the line that strangers can fill.
  const turn = input.invite === undefined ? { site: siteOf(source.ipAddress) } : { account: key }
  const passwordHash = await ctx.passwords.hash(input.password, turn)

  // Accepting an invite takes the organisation's lock.
  const begin: typeof transaction =
    input.invite === undefined ? transaction : (ctx, work) => lockingTransaction(ctx, { caller: key }, work)
  const registered = await begin(ctx, async (tx) => {
    const account = await createAccount(ctx, tx, {
      email: input.email,
      fullName: normaliseName(input.full_name ?? ''),
      passwordHash,
      isVerified: false,
      organisationName: normaliseName(input.organisation_name ?? 'My organisation'),
      invite: input.invite ?? null,
      isProbablyFirst,
      requireAllowedLater: () => enforce(policy.register, factsOf(ctx.config, false, input)),
      source,
      description: 'Account registered.',
    })
    const verificationRequired = needsVerification(ctx, account)
    if (verificationRequired) await sendVerification(ctx, tx, account.user_id)
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
  config: Pick<Context['config'], 'setupToken' | 'registration' | 'allowedEmailDomains'>,
  isFirst: boolean,
  input: Pick<Register, 'email' | 'setup_token' | 'invite'>,
) => ({
  isFirst,
  hasSetupToken: hasRightSetupToken(config, input.setup_token),
  isOpen: config.registration === 'open',
  hasInvite: input.invite !== undefined,
  isAllowedAddress: isAllowedAddress(config, input.email),
})

/** Counts a setup token that was sent where one is asked for, before it is compared. 429 beyond the limit. */
export async function countSetupTokenGuess(
  ctx: Context,
  given: string | undefined,
  { ipAddress }: RequestSource,
): Promise<void> {
  if (ctx.config.setupToken !== null && given !== undefined) await countSetupToken(ctx, ipAddress)
}

/** Whether the right setup token was sent, or none is needed. */
export const hasRightSetupToken = (
  { setupToken }: Pick<Context['config'], 'setupToken'>,
  given: string | undefined,
): boolean => setupToken === null || isSame(setupToken, given ?? '')

/** Compares hashes, so that the time depends neither on the secret's length nor on the first difference. */
function isSame(secret: string, given: string): boolean {
  const [a, b] = [secret, given].map((text) => createHash('sha256').update(text).digest())
  return a !== undefined && b !== undefined && timingSafeEqual(a, b)
}
