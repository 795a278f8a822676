import type { Queryable, Transaction } from '../../platform/postgres/database.ts'
import { isId } from '../id.ts'
import { oldestFirst, type PageRange } from '../pagination.ts'
import type { RoleKind } from '../permissions.ts'
import { countOf, written } from '../rows.ts'
import type { InviteRow } from './invite.ts'

const shown = (db: Queryable, invites = 'invites') => db`
  select i.id, i.email, i.nonce, i.created_at, i.expires_at, r.id as role_id, r.name as role_name,
    p.id as sender_id, p.type as sender_type, coalesce(nullif(u.full_name, ''), u.email, s.name) as sender_name
  from ${db(invites)} i
  join roles r on r.id = i.role_id
  left join principals p on p.id = i.invited_by
  left join members m on m.principal_id = p.id
  left join users u on u.id = m.user_id
  left join service_accounts s on s.id = p.id`

const live = (db: Queryable, organisationId: string, at: Date) => db`
  ${shown(db)}
  where i.organisation_id = ${organisationId} and i.state = 'pending' and i.expires_at > ${at}`

/** The organisation's live invites, oldest first. */
export const list = (db: Queryable, organisationId: string, at: Date, window: PageRange) => db<InviteRow[]>`
    ${live(db, organisationId, at)}
      ${oldestFirst(db, 'i', window)}`

/** One live invite; undefined when there is none, also for a malformed id. */
export const find = async (
  db: Queryable,
  organisationId: string,
  id: string,
  at: Date,
): Promise<InviteRow | undefined> =>
  isId(id) ? (await db<InviteRow[]>`${live(db, organisationId, at)} and i.id = ${id}`)[0] : undefined

/** What whoever follows a link is told, and what accepting needs to know. */
export type InviteDetailsRow = Readonly<{
  id: string
  nonce: Uint8Array
  email: string
  email_key: string
  organisation_id: string
  organisation_name: string
  role: Readonly<{ id: string; kind: RoleKind; name: string }>
}>

/** A live invite of any organisation with what it offers. */
export const findDetails = (db: Queryable, id: string, at: Date) =>
  db<InviteDetailsRow[]>`
    select i.id, i.nonce, i.email, i.email_key, o.id as organisation_id, o.name as organisation_name,
      json_build_object('id', r.id, 'kind', r.kind, 'name', r.name) as role
    from invites i
    join organisations o on o.id = i.organisation_id
    join roles r on r.id = i.role_id
    where i.id = ${id} and i.state = 'pending' and i.expires_at > ${at}`

/** Whether somebody with this address is a live member, and whether a pending invite waits for it. */
export const emailStatus = (tx: Transaction, organisationId: string, emailKey: string) =>
  tx<{ member: boolean; invited: boolean }[]>`
    select
      exists (
        select 1 from users u join members m on m.user_id = u.id and m.removed_at is null
        where u.email_key = ${emailKey} and m.organisation_id = ${organisationId}
      ) as member,
      exists (
        select 1 from invites
        where organisation_id = ${organisationId} and email_key = ${emailKey} and state = 'pending'
      ) as invited`

/** How many invites of the organisation are pending, among them those that have expired and were not closed yet. */
export const countPending = (tx: Transaction, organisationId: string): Promise<number> =>
  countOf(tx`
    select count(*)::int as count from invites where organisation_id = ${organisationId} and state = 'pending'`)

/** A new invite. */
export type NewInvite = Readonly<{
  id: string
  organisation_id: string
  email: string
  email_key: string
  role_id: string
  role_kind: RoleKind
  nonce: Uint8Array
  invited_by: string
  created_at: Date
  expires_at: Date
}>

/** Stores a pending invite; gives it as it is stored, with its role and its sender. */
export const insert = async (tx: Transaction, invite: NewInvite): Promise<InviteRow> =>
  written(
    await tx<InviteRow[]>`
      with made as (insert into invites ${tx({ ...invite, state: 'pending' })} returning *)
      ${shown(tx, 'made')}`,
  )

/** Ends a pending invite; tells whether it still was one. */
export const close = async (
  tx: Transaction,
  id: string,
  state: 'accepted' | 'cancelled',
  at: Date,
): Promise<boolean> =>
  (
    await tx`
      update invites set state = ${state}, closed_at = ${at}, role_id = null, role_kind = null
      where id = ${id} and state = 'pending'`
  ).count > 0

/** Closes the organisation's invites whose time is over, so that they hold no role and no address any more. */
export const closeExpired = (tx: Transaction, organisationId: string, at: Date) =>
  tx`
    update invites set state = 'expired', closed_at = ${at}, role_id = null, role_kind = null
    where organisation_id = ${organisationId} and state = 'pending' and expires_at <= ${at}`

/** Cancels the pending invites that a member or service account sent; must run before its principal is deleted. */
export const cancelSentBy = (tx: Transaction, organisationId: string, principalId: string, at: Date) =>
  tx`
    update invites set state = 'cancelled', closed_at = ${at}, role_id = null, role_kind = null
    where organisation_id = ${organisationId} and invited_by = ${principalId} and state = 'pending'`

/** Whether a user is a live member of any organisation. */
export const isMember = (tx: Transaction, userId: string) =>
  tx`select 1 from members where user_id = ${userId} and removed_at is null`
