import { type Static, Type } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import type { Credential, RequestOrigin } from '../actor.ts'
import type { AuditActor } from '../audit/audit.ts'
import { Member, present as presentMember } from '../members/member.ts'
import type { RoleKind } from '../permissions.ts'
import { Nullable, Text } from '../schema.ts'

type Membership = {
  member_id: string
  member_created_at: Date
  member_updated_at: Date
  role_id: string
  role_kind: RoleKind
  role_name: string
  organisation_id: string
  organisation_name: string
}

/** An account with its live membership if there is one. */
export type AccountRow = Readonly<
  {
    user_id: string
    email: string
    full_name: string
    password_hash: string | null
    email_verified_at: Date | null
    verification_required: boolean
    /** The organisation whose audit trail tells of this account; null before the first registration. */
    deployment_organisation_id: string | null
  } & (Membership | { member_id: null })
>

/** An account, and where it belongs, as registration and sign-in show them. */
export const Account = Type.Object({
  user: Type.Object({
    id: Type.String(),
    email: Type.String(),
    username: Type.String({ description: 'The e-mail address, as it was registered.' }),
    fullName: Type.String(),
  }),
  member: Nullable(Member),
  organisation: Nullable(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      plan: Type.Union([Type.Literal('free'), Type.Literal('pro'), Type.Literal('enterprise')]),
    }),
  ),
})
export type Account = Static<typeof Account>

/** A password that is being set; one that is only checked may be shorter, and is then simply wrong. */
export const NewPassword = () => Text(1024, { minLength: 8 })

/** Whether a new password takes the person's personal access tokens with it. */
export const RevokeTokens = () =>
  Type.Optional(
    Type.Boolean({
      description: 'Whether your personal access tokens are revoked, too; without it they keep working.',
    }),
  )

/** What the audit trail says of a new password; `revokedTokens` is null when the tokens were to stay. */
export const passwordEvent = (what: string, revokedTokens: number | null) => ({
  description: `${what}; all sessions ended${revokedTokens === null ? '' : ', personal access tokens revoked'}.`,
  newValues: { revokedTokens: revokedTokens ?? 0 },
})

/** The form in which e-mail addresses are compared. */
export const emailKey = (email: string): string => email.toLowerCase()

/** Whether an account may not sign in before its e-mail address is verified; without a mail gateway none has to. */
export const needsVerification = (
  ctx: Context,
  account: Pick<AccountRow, 'verification_required' | 'email_verified_at'>,
): boolean => ctx.config.smtp !== null && account.verification_required && account.email_verified_at === null

/** An account as it is shown. */
export function presentAccount(ctx: Context, row: AccountRow): Account {
  const { user_id, email, full_name } = row
  const user = { id: user_id, email, username: email, fullName: full_name }
  if (row.member_id === null) return { user, member: null, organisation: null }
  return {
    user,
    member: presentMember({
      ...row,
      id: row.member_id,
      created_at: row.member_created_at,
      updated_at: row.member_updated_at,
    }),
    organisation: { id: row.organisation_id, name: row.organisation_name, plan: ctx.config.plan },
  }
}

/** An account as the audit trail names it, with the session that it opened if it did. */
export const auditActorOf = (
  row: AccountRow,
  credential: Credential | null,
  origin: RequestOrigin,
): AuditActor => ({
  type: 'user',
  id: row.member_id,
  userId: row.user_id,
  name: row.full_name,
  ...(row.member_id !== null && { role: { name: row.role_name } }),
  credential,
  origin,
})
