import type { Transaction } from '../../platform/postgres/database.ts'
import { conflict } from '../errors.ts'
import * as queries from './rekey-queries.ts'
import type { Resealer } from './resealing.ts'

/**
 * Seals everything of an environment again, a few MiB at a time, whatever its secrets and their versions hold; gives how
 * many secrets there are. Overrides come last: whoever takes access away has to wait for them, and goes first then. `goOn`
 * is asked before each next piece, and throws where this has to end.
 */
export async function sealAgain(
  tx: Transaction,
  organisationId: string,
  environmentId: string,
  resealer: Resealer,
  goOn: () => Promise<void>,
): Promise<number> {
  const pages: string[][] = []
  for (let after = queries.BEFORE_ALL; ; ) {
    await goOn()
    const page = await queries.secrets(tx, organisationId, environmentId, after)
    const last = page.at(-1)
    if (last === undefined) break
    after = last.id
    pages.push(page.map(({ id }) => id))
    await queries.replaceSecrets(tx, await resealer.texts(page))
    resealer.forget()
  }
  await sealVersionsAgain(tx, environmentId, resealer, goOn)
  for (const ids of pages) await sealOverridesAgain(tx, ids, resealer, goOn)
  return pages.flat().length
}

async function sealVersionsAgain(
  tx: Transaction,
  environmentId: string,
  resealer: Resealer,
  goOn: () => Promise<void>,
): Promise<void> {
  for (let after = { id: queries.BEFORE_ALL, version: 0 }; ; ) {
    await goOn()
    const page = await queries.versions(tx, environmentId, after)
    const last = page.at(-1)
    if (last === undefined) return
    after = last
    await queries.replaceVersions(tx, await resealer.texts(page))
    resealer.forget()
  }
}

async function sealOverridesAgain(
  tx: Transaction,
  secretIds: readonly string[],
  resealer: Resealer,
  goOn: () => Promise<void>,
): Promise<void> {
  for (let after = { secret_id: queries.BEFORE_ALL, principal_id: queries.BEFORE_ALL }; ; ) {
    await goOn()
    const page = await queries.overrides(tx, secretIds, after)
    const last = page.at(-1)
    if (last === undefined) return
    after = last
    const ids = page.map(({ id }) => id)
    // Whoever takes access away deletes overrides one by one: to wait for one could be a deadlock.
    if ((await queries.lockOverrides(tx, ids)) < ids.length) throw gaveWay()
    await queries.replaceOverrides(tx, await resealer.overrides(page))
    resealer.forget()
  }
}

/** 409: others want to change what a renewal has locked. */
export const gaveWay = () =>
  conflict(
    'The environment, or who has access to it, was changed while its keys were being renewed, so they were not. Send the request again.',
  )
