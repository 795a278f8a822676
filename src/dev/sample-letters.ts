import { inviteLetter } from '../core/invites/invite-letter.ts'
import { passwordResetLetter, verificationLetter } from '../core/links/email-link-letters.ts'
import { type Letter, typed } from '../core/mail/letter.ts'
import { NOTICE_KINDS, type NoticeKind } from '../core/notices/notice.ts'
import { noticeLetter } from '../core/notices/notice-letters.ts'

/** What the samples name: all that people type and that mails repeat. */
export type SampleNames = Readonly<{ organisation: string; role: string; person: string; method: string }>

const NAMES: SampleNames = {
  organisation: 'Example Ltd',
  role: 'Release engineer',
  person: 'Grace Hopper',
  method: 'Security key',
}

const host = 'keyward.example.org'
const linkTo = (path: string) => `https://${host}/${path}#${'0123456789abcdef'.repeat(2)}${'x'.repeat(43)}`

/** One letter of every kind, by its name. */
export function sampleLetters(names: SampleNames = NAMES): ReadonlyMap<string, Letter> {
  const { organisation, role, person, method } = names
  const named: Readonly<Record<NoticeKind, string>> = {
    'invite-accepted': role,
    'role-changed': role,
    'member-removed': organisation,
    'ownership-received': organisation,
    'ownership-given': organisation,
    'password-changed': '',
    'sign-in-method-added': `The passkey ${typed(method)}`,
    'sign-in-method-removed': `The passkey ${typed(method)}`,
    'recovery-codes-renewed': '',
    'secrets-expire': `Production of ${organisation}`,
  }
  const by = { name: person, email: 'grace@example.org' }
  const expiresAt = new Date('2026-12-06T12:00:00Z')
  return new Map([
    ['verify-email', verificationLetter({ host, url: linkTo('verify-email') })],
    ['invite', inviteLetter({ organisation, host, url: linkTo('invite'), expiresAt })],
    ['reset-password', passwordResetLetter({ host, url: linkTo('reset-password') })],
    ...NOTICE_KINDS.map((kind) => [kind, noticeLetter(kind, { name: named[kind], by }, host)] as const),
  ])
}
