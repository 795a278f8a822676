import type { Queryable, Transaction } from '../../platform/postgres/database.ts'
import type { RoleKind } from '../permissions.ts'
import { countOf, findById, lookedUp, lookedUpOrNulls, written } from '../rows.ts'
import type { Row } from '../tables.ts'
import type { InviteRow } from './invite.ts'

/** Invites `i` with their roles and senders. */
export const withRoleAndSender = (db: Queryable, invites = 'invites') => db`
  select i.id, i.email, i.email_key, i.nonce, i.created_at, i.expires_at, r.id as role_id, r.name as role_name,
    p.id as sender_id, p.type as sender_type, coalesce(nullif(u.full_name, ''), u.email, s.name) as sender_name
  from ${db(invites)} i
  ${lookedUp(db, 'roles', 'r', db`id = i.role_id`)}
  ${lookedUpOrNulls(db, 'principals', 'p', db`id = i.invited_by`)}
  left join members m on m.principal_id = p.id
  left join users u on u.id = m.user_id
  left join service_accounts s on s.id = p.id`

const pendingInvites = (db: Queryable, organisationId: string, at: Date) => db`
  ${withRoleAndSender(db)}
  where i.organisation_id = ${organisationId} and i.state = 'pending' and i.expires_at > ${at}`

/** One pending invite; undefined when there is none, also for a malformed id. */
export const find = (
  db: Queryable,
  organisationId: string,
  id: string,
  at: Date,
): Promise<InviteRow | undefined> =>
  findById(id, () => db<InviteRow[]>`${pendingInvites(db, organisationId, at)} and i.id = ${id}`)

/** A pending invite with its organisation and role: what its preview shows, and what accepting needs. */
export type InviteDetailsRow = Row<
  'invites',
  'id' | 'nonce' | 'email' | 'email_key' | 'organisation_id' | 'expires_at' | 'share_of'
> &
  Readonly<{
    organisation_name: string
    role: Row<'roles', 'id' | 'kind' | 'name'>
    /** Null where a service account sent it, or a member who has been removed since. */
    sender_user_id: string | null
  }>

/** A pending invite of any organisation with its organisation and role. */
export const findDetails = (db: Queryable, id: string, at: Date) =>
  db<InviteDetailsRow[]>`
    select i.id, i.nonce, i.email, i.email_key, i.expires_at, i.share_of, o.id as organisation_id, o.name as organisation_name,
      json_build_object('id', r.id, 'kind', r.kind, 'name', r.name) as role, m.user_id as sender_user_id
    from invites i
    join organisations o on o.id = i.organisation_id
    ${lookedUp(db, 'roles', 'r', db`id = i.role_id`)}
    ${lookedUpOrNulls(db, 'members', 'm', db`principal_id = i.invited_by`)}
    where i.id = ${id} and i.state = 'pending' and i.expires_at > ${at}`

/** Whether a member, and whether a pending invite, has this e-mail address. */
export const emailStatus = async (tx: Transaction, organisationId: string, emailKey: string) =>
  written(
    await tx<{ isMember: boolean; isInvited: boolean }[]>`
      select
        exists (
          select 1 from users u join members m on m.user_id = u.id and m.removed_at is null
          where u.email_key = ${emailKey} and m.organisation_id = ${organisationId}
        ) as "isMember",
        exists (
          select 1 from invites
          where organisation_id = ${organisationId} and email_key = ${emailKey} and state = 'pending'
        ) as "isInvited"`,
  )

/** How many pending invites the organisation has, also those that have expired and are not closed yet. */
export const countPending = (tx: Transaction, organisationId: string): Promise<number> =>
  countOf(tx`
    select count(*)::int as count from invites where organisation_id = ${organisationId} and state = 'pending'`)

type NewInvite = Row<
  'invites',
  | 'id'
  | 'organisation_id'
  | 'email'
  | 'email_key'
  | 'role_id'
  | 'role_kind'
  | 'nonce'
  | 'invited_by'
  | 'share_of'
  | 'created_at'
  | 'expires_at'
>

/** The kind of the role that a member holds; undefined where it has been removed. */
export const roleKindOf = async (tx: Transaction, memberId: string): Promise<RoleKind | undefined> => {
  const [member] = await tx<{ role_kind: RoleKind }[]>`
    select role_kind from principals where id = ${memberId}`
  return member?.role_kind
}

/** Stores a pending invite; gives it as it is stored, with its role and its sender. */
export const insert = async (tx: Transaction, invite: NewInvite): Promise<InviteRow> =>
  written(
    await tx<InviteRow[]>`
      with made as (insert into invites ${tx({ ...invite, state: 'pending' })} returning *)
      ${withRoleAndSender(tx, 'made')}`,
  )

/**
 * Removes a pending invite that was accepted or cancelled, of which the audit log tells; false when it is gone already. Kept,
 * they would pile up without end, and have to be changed when whoever sent them is removed.
 */
export const remove = async (tx: Transaction, id: string): Promise<boolean> =>
  (await tx`delete from invites where id = ${id} and state = 'pending'`).count > 0

/** Removes the organisation's expired invites, which releases their roles and e-mail addresses. */
export const removeExpired = (tx: Transaction, organisationId: string, at: Date) =>
  tx`delete from invites where organisation_id = ${organisationId} and state = 'pending' and expires_at <= ${at}`

/** Removes the pending invites that a member or service account sent, and gives them with the roles that they had. */
export const removeSentBy = (tx: Transaction, sender: { id: string; organisationId: string }) =>
  tx<Pick<InviteRow, 'id' | 'role_id' | 'role_name'>[]>`
    delete from invites i using roles r
    where i.organisation_id = ${sender.organisationId} and i.invited_by = ${sender.id} and i.state = 'pending'
      and r.id = i.role_id
    returning i.id, r.id as role_id, r.name as role_name`
