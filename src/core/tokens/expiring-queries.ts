import type { Queryable } from '../../platform/postgres/database.ts'
import type { Actor } from '../actor.ts'
import { lookedUpOrNulls } from '../rows.ts'
import type { Row } from '../tables.ts'

/** A token that expires, whose it is, and the number of all that are looked for. */
export type ExpiringTokenRow = Row<'tokens', 'id' | 'name' | 'format' | 'principal_id' | 'last_used_at'> &
  Readonly<{
    expires_at: Date
    principal_type: Row<'principals', 'type'>['type']
    principal_name: string
    total: number
  }>

/** Tokens of the actor, and of service accounts if `ofServiceAccounts`, that expire after `from` and by `until`. */
export const expiring = (
  db: Queryable,
  actor: Actor,
  ofServiceAccounts: boolean,
  { from, until }: { from: Date; until: Date },
  shown: number,
  most: number,
) => db<ExpiringTokenRow[]>`
  with found as materialized (
    select t.id, t.name, t.format, t.principal_id, t.expires_at, t.last_used_at, p.type as principal_type
    from tokens t join principals p on p.id = t.principal_id
    where t.organisation_id = ${actor.organisation.id} and t.expires_at > ${from} and t.expires_at <= ${until}
      and ${
        ofServiceAccounts
          ? db`(p.type = 'service_account' or p.id = ${actor.id})`
          : db`t.principal_id = ${actor.id}`
      }
    order by t.expires_at, t.id limit ${most}
  )
  select f.*, (select count(*)::int from found) as total, coalesce(u.full_name, s.name) as principal_name
  from (select * from found order by expires_at, id limit ${shown}) f
  ${lookedUpOrNulls(db, 'members', 'm', db`principal_id = f.principal_id`)}
  left join users u on u.id = m.user_id
  ${lookedUpOrNulls(db, 'service_accounts', 's', db`id = f.principal_id`)}
  order by f.expires_at, f.id`
