import type { Queryable, Transaction } from '../../platform/postgres/database.ts'
import { accessibleApps } from '../grants/accessible-apps.ts'
import type { AccessibleApps } from '../grants/grant.ts'
import { findById, lookedUp, written } from '../rows.ts'
import type { MemberRow } from './member.ts'

/** The columns of a member. */
export const columns = (db: Queryable) => db`
  m.id, m.user_id, m.created_at, m.updated_at, u.email, u.full_name,
  r.id as role_id, r.kind as role_kind, r.name as role_name`

/**
 * Members `m` with their users `u`, principals `p` and roles `r`. A membership that has ended has no principal, and so no role:
 * the joins leave it out. What a list is ordered or narrowed by comes `first`; the rest is looked up for each row of it.
 */
export function activeMembers(db: Queryable, members = 'members', first: 'member' | 'principal' = 'member') {
  const user = lookedUp(db, 'users', 'u', db`id = m.user_id`)
  const principal = lookedUp(db, 'principals', 'p', db`id = m.principal_id`)
  const role = lookedUp(db, 'roles', 'r', db`id = p.role_id`)
  return first === 'member'
    ? db`${db(members)} m ${user} ${principal} ${role}`
    : db`principals p ${lookedUp(db, members, 'm', db`principal_id = p.id`)} ${user} ${role}`
}

const activeMember = (db: Queryable, organisationId: string, id: string) => db`
  ${activeMembers(db)}
  where m.organisation_id = ${organisationId} and m.id = ${id} and m.removed_at is null`

/** One active member; undefined when there is none, also for a malformed id. */
export const find = (db: Queryable, organisationId: string, id: string): Promise<MemberRow | undefined> =>
  findById(id, () => db<MemberRow[]>`select ${columns(db)} from ${activeMember(db, organisationId, id)}`)

/** One active member with the apps that it can access. */
export const findWithAccess = (db: Queryable, organisationId: string, id: string) =>
  findById(
    id,
    () => db<(MemberRow & { apps: AccessibleApps })[]>`
      select ${columns(db)}, ${accessibleApps(db)} as apps from ${activeMember(db, organisationId, id)}`,
  )

/** Stores the membership of a principal that exists already, under its id. */
export const insert = (
  tx: Transaction,
  { id, organisationId, userId, shareOf = null }: NewMember & { id: string },
  at: Date,
) =>
  tx`
    insert into members (id, organisation_id, user_id, share_of, created_at, updated_at)
    values (${id}, ${organisationId}, ${userId}, ${shareOf}, ${at}, ${at})`

/** `shareOf` is as in `Actor`. */
export type NewMember = Readonly<{ organisationId: string; userId: string; shareOf?: string | null }>

/** Gives a member a share of its own, for good. */
export const giveOwnShare = (tx: Transaction, id: string) =>
  tx`update members set share_of = null where id = ${id} and share_of is not null`

/** Sets when a membership was last changed; gives it as it is stored, with the role that it holds now. */
export const markUpdated = async (tx: Transaction, id: string, at: Date): Promise<MemberRow> =>
  written(
    await tx<MemberRow[]>`
      with updated as (update members set updated_at = ${at} where id = ${id} returning *)
      select ${columns(tx)} from ${activeMembers(tx, 'updated')}`,
  )

/** Ends a membership but keeps its row; its principal must be deleted in the same transaction. */
export const markRemoved = (tx: Transaction, id: string, roleName: string, at: Date) =>
  tx`update members set removed_at = ${at}, updated_at = ${at}, role_name = ${roleName} where id = ${id}`
