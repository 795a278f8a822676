import { badRequest, conflict, type DomainError, forbidden, notFound, unauthenticated } from './errors.ts'

/** What the violation of each constraint means to a caller, by the constraint's name. */
export const CONSTRAINT_ERRORS = {
  roles_name_unique: () => conflict('A role with this name already exists.'),
  apps_name_unique: () => conflict('An app with this name already exists.'),
  environments_name_unique: () => conflict('An environment with this name already exists in this app.'),
  users_email_unique: () => conflict('An account with this e-mail address already exists.'),
  invites_one_live: () => conflict('There already is a live invite for this e-mail address.'),
  members_one_live_membership: () => conflict('This person already belongs to an organisation.'),
  principals_role_held: () => conflict('The role is in use, or has just been deleted.'),
  invites_role_held: () => conflict('The role is in use, or has just been deleted.'),
  principals_one_owner: () => forbidden('An organisation has exactly one Owner.'),
  organisations_have_an_owner: () => forbidden('An organisation has exactly one Owner.'),
  service_accounts_without_global_access: () =>
    badRequest('A service account cannot hold a role with global access.'),
  invites_without_global_access: () => badRequest('Nobody can be invited to a role with global access.'),
  grants_environment: () => notFound('Environment'),
  grants_principal: () => notFound('Member'),
  tokens_principal: () => unauthenticated(),
} satisfies Readonly<Record<string, () => DomainError>>

/** The error of a violated constraint of this name. */
export function constraintError(name: keyof typeof CONSTRAINT_ERRORS): DomainError {
  return CONSTRAINT_ERRORS[name]()
}

/** What a database error means to a caller; null where nobody foresaw it. */
export function errorForConstraint(error: unknown): DomainError | null {
  const { code, constraint_name } = (error ?? {}) as { code?: string; constraint_name?: string }
  if (code === '22021') return badRequest('Text must not contain NUL characters.')
  return isKnown(constraint_name) ? constraintError(constraint_name) : null
}

const isKnown = (name: string | undefined): name is keyof typeof CONSTRAINT_ERRORS =>
  name !== undefined && Object.hasOwn(CONSTRAINT_ERRORS, name)
