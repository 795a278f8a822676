/** What a notice can tell of. */
export const NOTICE_KINDS = [
  'invite-accepted',
  'role-changed',
  'member-removed',
  'ownership-received',
  'ownership-given',
  'password-changed',
  'sign-in-method-added',
  'sign-in-method-removed',
  'recovery-codes-renewed',
  'secrets-expire',
] as const
export type NoticeKind = (typeof NOTICE_KINDS)[number]

/**
 * A notice to a user; `name` is what it names: the role, the organisation, or a way to sign in as a sentence begins with
 * it, such as `The passkey “Laptop”`; `byUserId` is who did it.
 */
export type Notice = Readonly<{ userId: string; notice: NoticeKind; name: string; byUserId?: string }>
