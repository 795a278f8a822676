import { type Static, Type } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import type { PasswordTurn } from '../../platform/password-turns.ts'
import type { Credential, RequestSource } from '../actor.ts'
import type { AuditActor } from '../audit/audit.ts'
import { Member, present as presentMember } from '../members/member.ts'
import type { RoleKind } from '../permissions.ts'
import { Nullable, Text } from '../schema.ts'
import type { Row } from '../tables.ts'

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

/** A user with its active membership if there is one. */
export type AccountRow = Readonly<
  {
    user_id: string
    /** The organisation whose audit log tells of this account; null before the first registration. */
    deployment_organisation_id: string | null
  } & Row<'users', 'email' | 'full_name' | 'password_hash' | 'email_verified_at' | 'verification_required'> &
    (Membership | { member_id: null })
>

/** A user with its membership and organisation, as registration and sign-in return them. */
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

/** A new password. A password to be checked may be shorter; it is then wrong. */
export const NewPassword = () => Text(1024, { minLength: 8 })

/** Whether a new password revokes the user's personal access tokens. */
export const RevokeTokens = () =>
  Type.Optional(
    Type.Boolean({
      description: 'Whether your personal access tokens are revoked, too. By default they keep working.',
    }),
  )

/** What the audit log says of a new password; `revokedTokens` is null when the tokens were to stay. */
export const passwordEvent = (what: string, revokedTokens: number | null) => ({
  description: `${what}; all sessions ended${revokedTokens === null ? '' : ', personal access tokens revoked'}.`,
  newValues: { revokedTokens: revokedTokens ?? 0 },
})

/** The form in which e-mail addresses are compared. */
export const emailKey = (email: string): string => email.toLowerCase()

/** Whether an account can't sign in before its e-mail address is verified; never without a mail gateway. */
export const needsVerification = (
  ctx: Context,
  account: Pick<AccountRow, 'verification_required' | 'email_verified_at'>,
): boolean => ctx.config.smtp !== null && account.verification_required && account.email_verified_at === null

/** In whose turn an account's password is hashed or checked for a browser, session or link that the account knows. */
export const ownPasswordTurn = ({
  user_id,
  member_id,
}: Pick<AccountRow, 'user_id' | 'member_id'>): PasswordTurn =>
  member_id === null ? { account: user_id } : { member: user_id }

/** An account as responses show it. */
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

/** An account as the audit log names it, with the session that it opened if it did. */
export const auditActorOf = (
  row: AccountRow,
  credential: Credential | null,
  source: RequestSource,
): AuditActor => ({
  type: 'user',
  id: row.member_id,
  userId: row.user_id,
  name: row.full_name,
  ...(row.member_id !== null && { role: { name: row.role_name } }),
  credential,
  source,
})
