import { enforce } from '../policy.ts'
import * as policy from './policy.ts'
import type { SecretRow } from './secret.ts'

/**
 * How many bytes the secrets of an environment take as they are stored, the actor's own values of them, and, at most, all
 * versions of them: null where these were not counted yet. And how many overrides the actor has in all environments, and
 * all members in this one.
 */
export type Sizes = Readonly<{
  secrets: number
  overrides: number
  allOverrides: number
  overridesOfAll: number
  versions: number | null
}>

/**
 * 403 when an environment has grown beyond what its secrets, or the actor's overrides of them, can take, or the actor or the
 * environment has too many overrides.
 */
export function requireRoom(before: Sizes, after: Sizes): void {
  enforce(policy.grow, { before: before.secrets, after: after.secrets })
  enforce(policy.growOverrides, { before: before.overrides, after: after.overrides })
  enforce(policy.addOverrides, { before: before.allOverrides, after: after.allOverrides })
  enforce(policy.addOverridesBesideOthers, { before: before.overridesOfAll, after: after.overridesOfAll })
}

/** Work with secrets of more bytes takes so much memory that callers take turns. */
export const LARGE_READ_BYTES = 1024 * 1024

/**
 * Who has its turn among the large reads reads in the share of all of these: nobody may wait for other reads of its own while
 * it keeps others from theirs.
 */
export const LARGE_READERS = 'large reads'

/**
 * Gives what is read for an answer, once there is memory for so many bytes of it. Nothing is kept while others are waited
 * for: `measure` tells beforehand how many bytes there are, and where it is null, or others came first, it is read again.
 */
export type MakeRoom = <T>(
  read: () => Promise<T>,
  bytesOf: (found: T) => number,
  measure: (() => Promise<number>) | null,
) => Promise<T>

/** How many characters the sealed texts of secrets, or of versions of them, have. */
export const bytesOf = (rows: readonly SealedTexts[]): number =>
  rows.reduce(
    (sum, { key, value, comment, override }) =>
      sum + key.length + value.length + comment.length + (override?.value.length ?? 0),
    0,
  )

type SealedTexts = Pick<SecretRow, 'key' | 'value' | 'comment'> & Partial<Pick<SecretRow, 'override'>>
