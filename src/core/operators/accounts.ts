import type { Context } from '../../context.ts'
import { allowLink, lockAccount } from '../accounts/accounts.ts'
import { forbidden } from '../errors.ts'
import { createHandedLink, type HandedLink } from '../links/handed-link.ts'
import { transaction } from '../transactions.ts'
import { accountOf, recordOperator } from './operator.ts'
import * as queries from './queries.ts'

/** An account as an operator sees it. */
export type OperatorAccount = Readonly<{
  id: string
  email: string
  fullName: string
  /** The name of the member's role; null without a membership. */
  role: string | null
  emailVerified: boolean
  /** Ways to sign in: `password`, and the identity providers that are linked. */
  methods: readonly string[]
  /** What is asked for beside a password: of `passkey`, `totp`. A passkey is a way to sign in as well. */
  secondFactors: readonly string[]
  createdAt: string
}>

const ACCOUNTS_PER_STATEMENT = 1000

/** Every account of the deployment, oldest first, in batches. */
export async function* listAccounts(ctx: Context): AsyncGenerator<OperatorAccount[]> {
  let last: queries.ListedAccount | undefined
  do {
    const rows: queries.ListedAccount[] = await queries.listAccounts(ctx.db, last, ACCOUNTS_PER_STATEMENT)
    last = rows.length < ACCOUNTS_PER_STATEMENT ? undefined : rows.at(-1)
    yield rows.map(present)
  } while (last !== undefined)
}

/**
 * Creates a link that sets a new password of the account with this address, and on request removes its second factors, for
 * an operator to hand over. 404 for an unknown address, 403 while password authentication is off.
 */
export async function createResetLink(
  ctx: Context,
  email: string,
  { removesFactors = false } = {},
): Promise<HandedLink> {
  if (!ctx.config.passwordAuth) throw forbidden(PASSWORDS_OFF)
  const { user_id: userId } = await accountOf(ctx.db, email)
  return transaction(ctx, async (tx) => {
    await lockAccount(tx, userId)
    const link = await createHandedLink(ctx, tx, userId, removesFactors)
    await recordOperator(ctx, tx, 'users reset', {
      eventType: 'user.reset_link_created',
      resourceId: userId,
      newValues: { expiresAt: link.expiresAt.toISOString(), removesSecondFactors: removesFactors },
      description: 'An operator created a link that sets a new password.',
    })
    return link
  })
}

/** How long a permission to link lasts. */
const LINK_PERMISSION_SECONDS = 24 * 3600

/**
 * Lets the next single sign-on with this verified address link its identity to the account; tells until when. 404 for an
 * unknown address, 403 where no identity provider is configured.
 */
export async function allowNextLink(ctx: Context, email: string): Promise<Date> {
  if (ctx.config.sso.providers.length === 0) throw forbidden(NO_PROVIDERS)
  const { user_id: userId } = await accountOf(ctx.db, email)
  return transaction(ctx, async (tx) => {
    await lockAccount(tx, userId)
    const until = new Date(ctx.clock.now().getTime() + LINK_PERMISSION_SECONDS * 1000)
    await allowLink(tx, userId, until)
    await recordOperator(ctx, tx, 'users allow-link', {
      eventType: 'user.link_allowed',
      resourceId: userId,
      newValues: { until: until.toISOString() },
      description: 'An operator let the next single sign-on with the address link its identity.',
    })
    return until
  })
}

const NO_PROVIDERS =
  'No identity provider is configured (SSO_PROVIDERS), so nothing can be linked. To let the account in with a ' +
  'password: "keyward users reset".'

const PASSWORDS_OFF =
  'Password authentication is off (ENABLE_PASSWORD_AUTH): the link would be refused. ' +
  'Turn it on, or let the account in through single sign-on: "keyward users allow-link".'

const present = (row: queries.ListedAccount): OperatorAccount => ({
  id: row.id,
  email: row.email,
  fullName: row.full_name,
  role: row.role_name,
  emailVerified: row.email_verified_at !== null,
  methods: [...(row.has_password ? ['password'] : []), ...row.providers],
  secondFactors: [...(row.has_passkey ? ['passkey'] : []), ...(row.has_totp ? ['totp'] : [])],
  createdAt: row.created_at.toISOString(),
})
