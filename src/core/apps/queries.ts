import type { Queryable, Transaction } from '../../platform/postgres/database.ts'
import type { Actor } from '../actor.ts'
import type { EnvironmentRow } from '../environments/environment.ts'
import { environmentsOfApp } from '../environments/of-app.ts'
import { isId } from '../id.ts'
import { oldestFirst, type PageRange } from '../pagination.ts'
import { written } from '../rows.ts'
import { canAccessApp } from './access-conditions.ts'
import type { AppRow, AppValues } from './app.ts'

const columns = (db: Queryable, actor: Actor) => db`
  a.id, a.name, a.description, a.created_at, a.updated_at, ${environmentsOfApp(db, actor)} as environments`

/** The apps that the actor can access, oldest first. */
export const list = (db: Queryable, actor: Actor, window: PageRange) => db<AppRow[]>`
    select ${columns(db, actor)} from apps a
    where a.organisation_id = ${actor.organisation.id} and ${canAccessApp(db, actor)}
      ${oldestFirst(db, 'a', window)}`

/** One app that the actor can access; undefined when there is none, also for a malformed id. */
export const find = async (db: Queryable, actor: Actor, id: string): Promise<AppRow | undefined> =>
  isId(id)
    ? (
        await db<AppRow[]>`
          select ${columns(db, actor)} from apps a
          where a.organisation_id = ${actor.organisation.id} and a.id = ${id} and ${canAccessApp(db, actor)}`
      )[0]
    : undefined

/** A new app. */
export type NewApp = Omit<AppRow, 'environments'> & { organisation_id: string; name_key: string }

/** Stores a new app; gives it as it is stored. */
export const insert = async (tx: Transaction, actor: Actor, app: NewApp): Promise<AppRow> =>
  written(
    await tx<AppRow[]>`
      with a as (insert into apps ${tx(app)} returning *)
      select ${columns(tx, actor)} from a`,
  )

/** Replaces what can be set of an app; gives it as it is stored, with the environments that the actor can access. */
export const update = async (
  tx: Transaction,
  actor: Actor,
  id: string,
  nameKey: string,
  values: AppValues,
  at: Date,
): Promise<AppRow> =>
  written(
    await tx<AppRow[]>`
      with a as (
        update apps set name = ${values.name}, name_key = ${nameKey}, description = ${values.description},
          updated_at = ${at}
        where id = ${id}
        returning *)
      select ${columns(tx, actor)} from a`,
  )

/** Every environment of an app, whoever can access it. */
export const allEnvironments = (tx: Transaction, organisationId: string, appId: string) =>
  tx<Pick<EnvironmentRow, 'id' | 'name' | 'env_type'>[]>`
    select id, name, env_type from environments where organisation_id = ${organisationId} and app_id = ${appId} order by index`

/** Deletes an app with its environments, and every grant and key copy of them. */
export const remove = (tx: Transaction, id: string) => tx`delete from apps where id = ${id}`
