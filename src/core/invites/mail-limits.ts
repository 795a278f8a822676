import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import { emailKey } from '../accounts/account.ts'
import { type Actor, countedAs } from '../actor.ts'
import { hasGlobalAccess } from '../permissions.ts'
import { countEach, counterWindow, limitError } from '../sign-in/sign-in-limits.ts'

/** So many mails of invites may go to one address in a day, whoever asks for them. */
export const INVITE_MAILS_TO_ADDRESS = 10

/**
 * So many may one member ask for in a day, and as many all service accounts that it is responsible for: cancelled invites
 * count, as their mails have gone.
 */
export const INVITE_MAILS_OF_ACTOR = 1000

/**
 * So many may leave the organisation in a day, the last third only for members with global access: others could invite
 * accounts of their own, which have limits of their own.
 */
export const INVITE_MAILS_OF_ORGANISATION = { all: 3000, withoutGlobalAccess: 2000 } as const

/** So many of each day every actor may ask for whatever others have sent: nobody can use up the organisation's for all others. */
export const FIRST_INVITE_MAILS = 50

/** So many of each day of an actor go in the order in which they were asked for; then those of others go first. */
const PROMPT_INVITE_MAILS = 10

const DAY_SECONDS = 24 * 3600

/** One invite is mailed again at most once in this time. */
const RESEND_SECONDS = 60

/**
 * Counts the mail of an invite that is about to be queued; undone when the transaction fails. Tells whether it is to be
 * `patient`. 429 beyond what its address may be sent, or the actor or the organisation may send, in a day.
 */
export async function countInviteMail(
  ctx: Context,
  tx: Transaction,
  actor: Actor,
  invite: { email: string },
): Promise<{ patient: boolean }> {
  const now = ctx.clock.now().getTime()
  const window = (limit: number, what: readonly string[]) =>
    counterWindow(ctx, { limit, windowSeconds: DAY_SECONDS }, now, what)
  const organisationId = actor.organisation.id
  const { all, withoutGlobalAccess } = INVITE_MAILS_OF_ORGANISATION
  const ofOrganisation = hasGlobalAccess(actor.role.kind) ? all : withoutGlobalAccess
  const limits = {
    'to this address': window(INVITE_MAILS_TO_ADDRESS, [
      'invites to',
      organisationId,
      emailKey(invite.email),
    ]),
    'for you': window(INVITE_MAILS_OF_ACTOR, ['invites by', ...countedAs(actor)]),
    'by this organisation': window(ofOrganisation, ['invites of', organisationId]),
  }
  const first = window(FIRST_INVITE_MAILS, ['first invites by', ...countedAs(actor)])
  const prompt = window(PROMPT_INVITE_MAILS, ['prompt invites by', ...countedAs(actor)])
  const exceeded = await countEach(tx, [...Object.values(limits), first, prompt])
  const isAmongFirst = !exceeded.includes(first)
  for (const [whose, limit] of Object.entries(limits)) {
    if (!exceeded.includes(limit) || (isAmongFirst && limit === limits['by this organisation'])) continue
    throw limitError(now, `Too many invites were mailed ${whose} today. Try again later.`, limit)
  }
  return { patient: exceeded.includes(prompt) }
}

/** Counts the mail of an invite that is mailed again, as every mail. 429 within a minute of the last time, too. */
export async function countResend(
  ctx: Context,
  tx: Transaction,
  actor: Actor,
  invite: { id: string; email: string },
): Promise<{ patient: boolean }> {
  const now = ctx.clock.now().getTime()
  const rate = { limit: 1, windowSeconds: RESEND_SECONDS }
  const [exceeded] = await countEach(tx, [counterWindow(ctx, rate, now, ['invite again', invite.id])])
  if (exceeded !== undefined) {
    throw limitError(now, 'This invite was mailed again less than a minute ago. Try again later.', exceeded)
  }
  return await countInviteMail(ctx, tx, actor, invite)
}
