import type { Resource } from './resources.ts'

/**
 * The events of refused requests: the resource, and the action that was refused. Each route that can be refused
 * declares one; refusals of one minute with the same caller, target and address share an entry with their count.
 */
export const REFUSALS = [
  'access.read_refused',
  'app.create_refused',
  'app.delete_refused',
  'app.read_refused',
  'app.update_refused',
  'audit_log.read_refused',
  'environment.create_refused',
  'environment.delete_refused',
  'environment.read_refused',
  'environment.update_refused',
  'invite.accept_refused',
  'invite.create_refused',
  'invite.delete_refused',
  'invite.read_refused',
  'invite.resend_refused',
  'key.read_refused',
  'member.access_change_refused',
  'member.delete_refused',
  'member.read_refused',
  'member.update_refused',
  'organisation.read_refused',
  'organisation.update_refused',
  'role.create_refused',
  'role.delete_refused',
  'role.read_refused',
  'role.update_refused',
  'secret.create_refused',
  'secret.delete_refused',
  'secret.read_refused',
  'secret.restore_refused',
  'secret.update_refused',
  'service_account.access_change_refused',
  'service_account.create_refused',
  'service_account.delete_refused',
  'service_account.read_refused',
  'service_account.update_refused',
  'session.create_refused',
  'session.delete_refused',
  'session.read_refused',
  'token.create_refused',
  'token.delete_refused',
  'token.read_refused',
  'user.read_refused',
  'user.update_refused',
] as const satisfies readonly `${Resource}.${string}_refused`[]

export type RefusalType = (typeof REFUSALS)[number]

/** The entry of a refused request to record: its target need not be of the resource that its name begins with. */
export type Refusal = Readonly<{
  eventType: RefusalType
  resourceType: Resource
  resourceId: string | null
  description: string
  appId: string | null
  environmentId: string | null
}>
