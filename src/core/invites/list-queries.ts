import type { Queryable } from '../../platform/postgres/database.ts'
import type { Filter } from '../filters.ts'
import type { PageRange } from '../pagination.ts'
import { countOf } from '../rows.ts'
import { creationColumns, type Order, type Orders, ordered } from '../sorting.ts'
import type { InviteRow } from './invite.ts'
import { withRoleAndSender } from './queries.ts'

const created = creationColumns<InviteRow>('i')

/** The orders of the list of invites. */
export const INVITE_ORDERS = {
  own: created,
  email: [{ name: 'i.email_key', type: 'text', value: (row) => row.email_key }],
  created_at: created,
  expires_at: [
    { name: 'i.expires_at', type: 'timestamptz', value: (row) => row.expires_at.toISOString() },
    { name: 'i.id', type: 'uuid', value: (row) => row.id },
  ],
} as const satisfies Orders<InviteRow>

/** Which invites a list has: those of an organisation that are pending at a time and pass the filter. */
export type PendingInvites = Readonly<{ organisationId: string; at: Date; filter: Filter }>

/** The pending invites, in an order. */
export const list = (db: Queryable, asked: PendingInvites, order: Order<InviteRow>, range: PageRange) =>
  db<InviteRow[]>`
    ${withRoleAndSender(db)}
    where ${conditions(db, asked)} ${ordered(db, order, range)}`

/** How many pending invites there are. */
export const count = (db: Queryable, asked: PendingInvites): Promise<number> =>
  countOf(db`select count(*)::int as count from invites i where ${conditions(db, asked)}`)

const conditions = (db: Queryable, { organisationId, at, filter: { search, roleId } }: PendingInvites) => db`
  i.organisation_id = ${organisationId} and i.state = 'pending' and i.expires_at > ${at}
  ${search === null ? db`` : db`and strpos(i.email_key, ${search.key}) > 0`}
  ${roleId === null ? db`` : db`and i.role_id = ${roleId}`}`
