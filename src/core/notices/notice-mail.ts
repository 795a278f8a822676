import type { Context } from '../../context.ts'
import { findAccount } from '../accounts/accounts.ts'
import type { Notice, NoticeKind } from './notice.ts'

/** Mails a notice to the address that the account has by now; does nothing without a mail gateway. */
export async function sendNotice(ctx: Context, { userId, notice, name }: Notice): Promise<void> {
  if (ctx.config.smtp === null) return
  const account = await findAccount(ctx.db, userId)
  if (account === undefined) return
  const { subject, sentence } = WORDING[notice](name)
  const text = [
    `${sentence} This is about your account on Keyward at ${ctx.config.host}.`,
    'If you did not expect this, tell the administrators of your organisation.',
  ].join('\n\n')
  await ctx.mailer.send({ to: account.email, subject, text })
}

type Wording = Readonly<{ subject: string; sentence: string }>

const WORDING: Readonly<Record<NoticeKind, (name: string) => Wording>> = {
  'invite-accepted': (member) => ({
    subject: 'Your invite was accepted',
    sentence: `${member} accepted your invite.`,
  }),
  'role-changed': (role) => ({
    subject: 'Your role was changed',
    sentence: `Your role is now ${role}.`,
  }),
  'member-removed': (organisation) => ({
    subject: `You are no longer a member of ${organisation}`,
    sentence: `You were removed from ${organisation}.`,
  }),
  'ownership-received': (organisation) => ({
    subject: `You are the Owner of ${organisation}`,
    sentence: `The ownership of ${organisation} was transferred to you.`,
  }),
  'ownership-given': (organisation) => ({
    subject: `You are no longer the Owner of ${organisation}`,
    sentence: `The ownership of ${organisation} was transferred to another member. You are an Admin now.`,
  }),
  'password-changed': () => ({
    subject: 'Your password was changed',
    sentence: 'A new password was set, and all your sessions have ended.',
  }),
  'sign-in-method-added': (method) => ({
    subject: 'A new way to sign in',
    sentence: `${method} was added to the ways to sign in to your account.`,
  }),
  'sign-in-method-removed': (method) => ({
    subject: 'A way to sign in was removed',
    sentence: `${method} was removed from the ways to sign in to your account.`,
  }),
  'recovery-codes-renewed': () => ({
    subject: 'Your recovery codes were renewed',
    sentence: 'You have new recovery codes. The old ones are void.',
  }),
}
