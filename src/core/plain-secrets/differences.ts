import { type Static, Type } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import type { Actor } from '../actor.ts'
import type { Room } from '../large-reads.ts'
import { type NamedSecret, NamedSecret as NamedSecretSchema } from './imports.ts'
import { findNamed, withOpened } from './opening.ts'
import { openedRows } from './plain-secrets.ts'

/** How the secrets of two environments differ: by name and path, and whether values are equal, never the values. */
export const Differences = Type.Object({
  onlyInFrom: Type.Array(NamedSecretSchema),
  onlyInTo: Type.Array(NamedSecretSchema),
  different: Type.Array(NamedSecretSchema, { description: 'Those in both, with another value.' }),
  same: Type.Array(NamedSecretSchema),
})
export type Differences = Static<typeof Differences>

/**
 * How the secrets of two environments of an app differ, as they are stored: without overrides, with references as they are
 * written. 404 unless the actor can open both; otherwise as `list`, and the audit log is told that both were read.
 */
export async function differences(
  ctx: Context,
  actor: Actor,
  appId: string,
  from: string,
  to: string,
  room: Room,
): Promise<Differences> {
  // A 404 for either comes before the 400 of an app whose server-side encryption is off.
  await findNamed(ctx, actor, { app_id: appId, env: to })
  return await withOpened(ctx, actor, { app_id: appId, env: from }, (first) =>
    withOpened(ctx, actor, { app_id: appId, env: to }, async (second) => {
      const before = byName(await openedRows(ctx, actor, first, { raw: true }, room))
      const after = byName(await openedRows(ctx, actor, second, { raw: true }, room))
      const found: Differences = { onlyInFrom: [], onlyInTo: [], different: [], same: [] }
      for (const [name, { key, path, value }] of before) {
        const other = after.get(name)
        if (other === undefined) found.onlyInFrom.push({ key, path })
        else if (other.value === value) found.same.push({ key, path })
        else found.different.push({ key, path })
      }
      for (const [name, { key, path }] of after) if (!before.has(name)) found.onlyInTo.push({ key, path })
      for (const list of Object.values(found)) list.sort(byPathAndKey)
      return found
    }),
  )
}

type Named = NamedSecret & Readonly<{ value: string }>

const byName = (rows: readonly Named[]): ReadonlyMap<string, Named> =>
  new Map(rows.map((row) => [`${row.path} ${row.key}`, row]))

const byPathAndKey = (a: NamedSecret, b: NamedSecret): number =>
  compareTexts(a.path, b.path) || compareTexts(a.key, b.key)

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
