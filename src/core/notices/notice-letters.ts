import { type Letter, oneLine, typed } from '../mail/letter.ts'
import type { NoticeKind } from './notice.ts'

/** What a notice names: `name` as the notice has it, and the account that did something, where there is one. */
export type Named = Readonly<{ name: string; by: { name: string; email: string } | null }>

/** The mail that brings a notice. */
export function noticeLetter(kind: NoticeKind, named: Named, host: string): Letter {
  const { subject, sentence, remedy = TELL_ADMINISTRATORS } = WORDING[kind](named)
  return {
    subject,
    opening: [sentence, `This is about your account on Keyward at ${host}.`],
    closing: [remedy],
  }
}

type Wording = Readonly<{ subject: string; sentence: string; remedy?: string }>

const TELL_ADMINISTRATORS = 'If you did not expect this, tell the administrators of your organisation.'
const NEW_PASSWORD =
  'If this was not you, set a new password at once, and tell the administrators of your organisation.'

const WORDING: Readonly<Record<NoticeKind, (named: Named) => Wording>> = {
  'invite-accepted': ({ name, by }) => ({
    subject: 'Your invite was accepted',
    sentence: `${by === null ? 'Somebody' : nameAndAddress(by)} accepted your invite and now has the role ${typed(name)}.`,
  }),
  'role-changed': ({ name }) => ({
    subject: 'Your role was changed',
    sentence: `Your role is now ${typed(name)}.`,
  }),
  'member-removed': ({ name }) => ({
    subject: `You are no longer a member of ${typed(name)}`,
    sentence: `You were removed from ${typed(name)}. Your account stays, and can be invited again.`,
  }),
  'ownership-received': ({ name }) => ({
    subject: `You are the Owner of ${typed(name)}`,
    sentence: `The ownership of ${typed(name)} was transferred to you.`,
  }),
  'ownership-given': ({ name }) => ({
    subject: `You are no longer the Owner of ${typed(name)}`,
    sentence: `The ownership of ${typed(name)} was transferred to another member. You are an Admin now.`,
  }),
  'password-changed': () => ({
    subject: 'Your password was changed',
    sentence: 'A new password was set, and all your sessions have ended.',
    remedy: NEW_PASSWORD,
  }),
  'sign-in-method-added': ({ name }) => ({
    subject: 'A new way to sign in',
    sentence: `${oneLine(name)} was added to the ways to sign in to your account.`,
  }),
  'sign-in-method-removed': ({ name }) => ({
    subject: 'A way to sign in was removed',
    sentence: `${oneLine(name)} was removed from the ways to sign in to your account.`,
  }),
  'recovery-codes-renewed': () => ({
    subject: 'Your recovery codes were renewed',
    sentence: 'You have new recovery codes. The old ones are void.',
  }),
  'secrets-expire': ({ name }) => ({
    subject: 'Secrets expire soon',
    sentence: `Secrets of ${typed(name)} expire within a week, or have expired. They stay as they are.`,
    remedy: 'Replace their values, and set another expiry or none. Home shows all that expire soon.',
  }),
}

const nameAndAddress = ({ name, email }: { name: string; email: string }): string =>
  name === '' ? email : `${typed(name)} (${email})`
