import type { Queryable } from '../../platform/postgres/database.ts'
import { lookedUpOrNulls } from '../rows.ts'
import type { Row } from '../tables.ts'

/** A token's creator, in `creatorColumns`; null on tokens older than their creator's column. */
export type CreatorColumns = Readonly<{
  creator_id: Row<'tokens', 'created_by'>['created_by']
  creator_type: 'user' | 'service_account' | null
  creator_name: string | null
}>

/**
 * The creator of tokens `t`, joined by `creators`: a member's name as it is now, empty where none was given. Never the
 * e-mail address: whoever reads tokens need not be allowed to read members.
 */
export const creatorColumns = (db: Queryable) => db`
  t.created_by as creator_id,
  case when t.created_by is null then null when cm.id is null then 'service_account' else 'user' end as creator_type,
  coalesce(cu.full_name, cs.name, t.created_by_name) as creator_name`

/** Joins the creators of tokens `t`: members, also removed ones, and service accounts that still exist. */
export const creators = (db: Queryable) => db`
  ${lookedUpOrNulls(db, 'members', 'cm', db`id = t.created_by`)}
  left join users cu on cu.id = cm.user_id
  ${lookedUpOrNulls(db, 'service_accounts', 'cs', db`id = t.created_by`)}`
