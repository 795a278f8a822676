import { badRequest, conflict, type DomainError, forbidden, notFound, unauthenticated } from './errors.ts'

/** What each rule that the database enforces means to a caller who lost a race against it, by its name there. */
export const REFUSALS: Readonly<Record<string, () => DomainError>> = {
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
}

/** The refusal that a database error stands for, or null when it stands for none. */
export function refusalOf(error: unknown): DomainError | null {
  const { code, constraint_name } = (error ?? {}) as { code?: string; constraint_name?: string }
  if (code === '22021') return badRequest('Text must not contain NUL characters.')
  return REFUSALS[constraint_name ?? '']?.() ?? null
}
