import type { Context } from '../../context.ts'
import type { Caller, Credential, RequestSource } from '../actor.ts'
import { permissionsOf } from '../permissions.ts'
import { lacksRequiredFactor } from '../second-factor/policy.ts'
import type * as queries from './queries.ts'

/** The caller of a session's row, marked where the session lacks a second factor that is required. */
export function sessionCallerFrom(
  { config }: Context,
  row: queries.SessionCallerRow,
  credential: Credential,
  source: RequestSource,
): Caller {
  const lacksFactor = lacksRequiredFactor({
    requirement: config.requireSecondFactor,
    method: row.session_method,
    hasFactor: row.has_factor,
    kind: row.principal_id === null ? null : row.role_kind,
  })
  const caller = callerFrom(row, credential, source)
  return lacksFactor ? { ...caller, lacksRequiredFactor: true } : caller
}

/** The caller of a row: a member or service account, or a user who is no member of an organisation. */
export function callerFrom(row: queries.CallerRow, credential: Credential, source: RequestSource): Caller {
  if (row.principal_id === null) {
    const { user_id, email, full_name } = row as queries.CallerRow & { user_id: string; email: string }
    return { type: 'user', id: null, userId: user_id, name: full_name ?? '', email, credential, source }
  }
  const { principal_id, organisation_id, role_kind } = row
  return {
    type: row.principal_type === 'member' ? 'user' : 'service_account',
    id: principal_id,
    responsibleId: row.responsible_id ?? principal_id,
    branchId: row.branch_id ?? principal_id,
    shareOf: row.share_of,
    userId: row.user_id,
    name: row.full_name ?? '',
    email: row.email,
    organisation: { id: organisation_id },
    role: {
      id: row.role_id,
      kind: role_kind,
      name: row.role_name,
      permissions: permissionsOf(role_kind, row.role_permissions),
    },
    credential,
    source,
  }
}
