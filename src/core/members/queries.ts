import type { Queryable, Transaction } from '../../platform/postgres/database.ts'
import { accessibleApps } from '../grants/accessible-apps.ts'
import type { AccessibleApps } from '../grants/grant.ts'
import { isId } from '../id.ts'
import { oldestFirst, type PageRange } from '../pagination.ts'
import { written } from '../rows.ts'
import type { MemberRow } from './member.ts'

const columns = (db: Queryable) => db`
  m.id, m.user_id, m.created_at, m.updated_at, u.email, u.full_name,
  r.id as role_id, r.kind as role_kind, r.name as role_name`

const live = (db: Queryable, members = 'members') => db`
  ${db(members)} m
  join users u on u.id = m.user_id
  join principals p on p.id = m.principal_id
  join roles r on r.id = p.role_id`

/** The live members of an organisation, oldest first. */
export const list = (db: Queryable, organisationId: string, window: PageRange) => db<MemberRow[]>`
    select ${columns(db)} from ${live(db)}
    where m.organisation_id = ${organisationId} and m.removed_at is null
      ${oldestFirst(db, 'm', window)}`

/** One live member; undefined when there is none, also for a malformed id. */
export const find = async (
  db: Queryable,
  organisationId: string,
  id: string,
): Promise<MemberRow | undefined> =>
  isId(id)
    ? (
        await db<MemberRow[]>`
          select ${columns(db)} from ${live(db)}
          where m.organisation_id = ${organisationId} and m.id = ${id} and m.removed_at is null`
      )[0]
    : undefined

/** One live member with the apps that it can access. */
export const findWithAccess = async (
  db: Queryable,
  organisationId: string,
  id: string,
): Promise<(MemberRow & { apps: AccessibleApps }) | undefined> =>
  isId(id)
    ? (
        await db<(MemberRow & { apps: AccessibleApps })[]>`
          select ${columns(db)}, ${accessibleApps(db)} as apps from ${live(db)}
          where m.organisation_id = ${organisationId} and m.id = ${id} and m.removed_at is null`
      )[0]
    : undefined

/** Notes that a membership was changed; gives it as it is stored, with the role that it holds now. */
export const touch = async (tx: Transaction, id: string, at: Date): Promise<MemberRow> =>
  written(
    await tx<MemberRow[]>`
      with touched as (update members set updated_at = ${at} where id = ${id} returning *)
      select ${columns(tx)} from ${live(tx, 'touched')}`,
  )

/** Makes a membership history; its principal, and with it keys, grants and tokens, must go in the same transaction. */
export const markRemoved = (tx: Transaction, id: string, roleName: string, at: Date) =>
  tx`update members set removed_at = ${at}, updated_at = ${at}, role_name = ${roleName} where id = ${id}`
