import { badRequest, conflict, type DomainError, forbidden, notFound, unauthenticated } from './errors.ts'

/** The error for each violated constraint, by the constraint's name: where a concurrent request was faster. */
export const CONSTRAINT_ERRORS = {
  roles_name_unique: () => conflict('A role with this name already exists.'),
  apps_name_unique: () => conflict('An app with this name already exists.'),
  environments_name_unique: () => conflict('An environment with this name already exists in this app.'),
  users_email_unique: () => conflict('An account with this e-mail address already exists.'),
  sso_identities_unique: () => conflict('This identity has just been linked to an account.'),
  sso_identities_one_per_provider: () =>
    conflict('An identity at this provider has just been linked to the account.'),
  invites_one_live: () => conflict('A pending invite for this e-mail address already exists.'),
  members_one_live_membership: () => conflict('This user is already a member of an organisation.'),
  principals_role_held: () => conflict('The role is in use, or has just been deleted.'),
  invites_role_held: () => conflict('The role is in use, or has just been deleted.'),
  principals_one_owner: () => forbidden('An organisation has exactly one Owner.'),
  organisations_have_an_owner: () => forbidden('An organisation has exactly one Owner.'),
  service_accounts_without_global_access: () =>
    badRequest('A service account cannot hold a role with global access.'),
  invites_without_global_access: () => badRequest('Nobody can be invited to a role with global access.'),
  passkeys_credential_unique: () => conflict('This passkey is registered already.'),
  grants_environment: () => notFound('Environment'),
  grants_principal: () => notFound('Member'),
  secrets_key_unique: () => conflict('A secret with this key already exists at this path.'),
  secret_overrides_secret: () => notFound('Secret'),
  secret_overrides_access: () => notFound('Environment'),
  secret_overrides_member: () => forbidden('Only a member can have overrides.'),
  tokens_principal: () => unauthenticated(),
} satisfies Readonly<Record<string, () => DomainError>>

/** The error of a violated constraint of this name. */
export function constraintError(name: keyof typeof CONSTRAINT_ERRORS): DomainError {
  return CONSTRAINT_ERRORS[name]()
}

/** The error that tells a caller of a database error; null for an unexpected one. */
export function errorForConstraint(error: unknown): DomainError | null {
  const { code, constraint_name } = (error ?? {}) as { code?: string; constraint_name?: string }
  if (code === '22021') return badRequest('Text must not contain NUL characters.')
  return isKnown(constraint_name) ? constraintError(constraint_name) : null
}

const isKnown = (name: string | undefined): name is keyof typeof CONSTRAINT_ERRORS =>
  name !== undefined && Object.hasOwn(CONSTRAINT_ERRORS, name)
