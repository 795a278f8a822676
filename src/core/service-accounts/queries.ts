import type { Queryable, Transaction } from '../../platform/postgres/database.ts'
import { accessibleApps } from '../grants/accessible-apps.ts'
import type { AccessibleApps } from '../grants/grant.ts'
import { isId } from '../id.ts'
import { type PageRange, rowLimit } from '../pagination.ts'
import { countOf, findById, lookedUp, type Prefixed, written } from '../rows.ts'
import type { Row } from '../tables.ts'
import { type CreatorColumns, creatorColumns, creators } from '../tokens/creators.ts'
import type { TokenRow } from '../tokens/token.ts'
import type { ServiceAccountRow } from './service-account.ts'

/** The columns of a service account. */
export const columns = (db: Queryable) => db`
  s.id, s.name, s.created_at, s.updated_at,
  r.id as role_id, r.kind as role_kind, r.name as role_name, r.permissions as role_permissions`

/**
 * Service accounts `s` with their principals `p` and roles `r`. What a list is ordered or narrowed by comes `first`; the rest
 * is looked up for each row of it.
 */
export function serviceAccounts(
  db: Queryable,
  table = 'service_accounts',
  first: 'account' | 'principal' = 'account',
) {
  const role = lookedUp(db, 'roles', 'r', db`id = p.role_id`)
  return first === 'account'
    ? db`${db(table)} s ${lookedUp(db, 'principals', 'p', db`id = s.id`)} ${role}`
    : db`principals p ${lookedUp(db, table, 's', db`id = p.id`)} ${role}`
}

const serviceAccount = (db: Queryable, organisationId: string, id: string) => db`
  ${serviceAccounts(db)} where s.organisation_id = ${organisationId} and s.id = ${id}`

/** How many service accounts the organisation has. */
export const count = (tx: Transaction, organisationId: string): Promise<number> =>
  countOf(tx`
    select count(*)::int as count from service_accounts where organisation_id = ${organisationId}`)

/** One service account; undefined when there is none, also for a malformed id. */
export const find = (
  db: Queryable,
  organisationId: string,
  id: string,
): Promise<ServiceAccountRow | undefined> =>
  findById(
    id,
    () => db<ServiceAccountRow[]>`select ${columns(db)} from ${serviceAccount(db, organisationId, id)}`,
  )

/** One service account with the apps that it can access. */
export const findWithAccess = (db: Queryable, organisationId: string, id: string) =>
  findById(
    id,
    () => db<(ServiceAccountRow & { apps: AccessibleApps })[]>`
      select ${columns(db)}, ${accessibleApps(db)} as apps from ${serviceAccount(db, organisationId, id)}`,
  )

/** One service account beside each of its tokens, oldest first; without tokens one row whose `token_id` is null. */
export const findWithTokens = async (
  db: Queryable,
  organisationId: string,
  id: string,
  range: PageRange = { limit: null, after: null },
) => {
  if (!isId(id)) return []
  const [createdAt = null, tokenId = null] = range.after ?? []
  return db<(ServiceAccountRow & AccountTokenRow)[]>`
    select ${columns(db)}, t.id as token_id, t.name as token_name, t.format as token_format,
      t.created_at as token_created_at, t.expires_at as token_expires_at, t.last_used_at as token_last_used_at, ${creatorColumns(db)}
    from ${serviceAccounts(db)}
    left join tokens t on t.principal_id = s.id
      and (${tokenId}::uuid is null or (t.created_at, t.id) > (${createdAt}::timestamptz, ${tokenId}::uuid))
    ${creators(db)}
    where s.organisation_id = ${organisationId} and s.id = ${id}
    order by t.created_at, t.id
    limit ${rowLimit(range)}`
}

/** A token in a row of `findWithTokens`; all null where the service account has none. */
export type AccountTokenRow =
  | { token_id: null }
  | (Prefixed<'token_', Omit<TokenRow, keyof CreatorColumns>> & CreatorColumns)

/** The tokens in the rows of `findWithTokens`. */
export const tokensIn = (rows: readonly AccountTokenRow[]): TokenRow[] =>
  rows.flatMap((row) =>
    row.token_id === null
      ? []
      : {
          id: row.token_id,
          name: row.token_name,
          format: row.token_format,
          created_at: row.token_created_at,
          expires_at: row.token_expires_at,
          last_used_at: row.token_last_used_at,
          creator_id: row.creator_id,
          creator_type: row.creator_type,
          creator_name: row.creator_name,
        },
  )

/** Whether a service account is granted an environment that the actor is not. */
export const canAccessMore = async (tx: Transaction, id: string, actorId: string): Promise<boolean> => {
  const [row] = await tx`
    -- A look-up for each grant: with \`not exists\`, the planner may compare all pairs.
    select 1 from grants g where g.principal_id = ${id} and (
      select true from grants own
      where own.principal_id = ${actorId} and own.environment_id = g.environment_id limit 1) is null
    limit 1`
  return row !== undefined
}

/** A new service account, under the id of its principal. */
export type NewServiceAccount = Row<
  'service_accounts',
  'id' | 'organisation_id' | 'name' | 'created_at' | 'updated_at'
>

/** Stores a new service account; gives it as it is stored, with the role that its principal holds. */
export const insert = async (tx: Transaction, account: NewServiceAccount): Promise<ServiceAccountRow> =>
  written(
    await tx<ServiceAccountRow[]>`
      with inserted as (insert into service_accounts ${tx(account)} returning *)
      select ${columns(tx)} from ${serviceAccounts(tx, 'inserted')}`,
  )

/** Sets the name and the date of the change; gives the service account as it is stored, with its role. */
export const update = async (
  tx: Transaction,
  id: string,
  name: string,
  at: Date,
): Promise<ServiceAccountRow> =>
  written(
    await tx<ServiceAccountRow[]>`
      with updated as (update service_accounts set name = ${name}, updated_at = ${at} where id = ${id} returning *)
      select ${columns(tx)} from ${serviceAccounts(tx, 'updated')}`,
  )
