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

/** How many characters the sealed texts of secrets, or of versions of them, have. */
export const bytesOf = (rows: readonly SealedTexts[]): number =>
  rows.reduce(
    (sum, { key, value, comment, override }) =>
      sum + key.length + value.length + comment.length + (override?.value.length ?? 0),
    0,
  )

type SealedTexts = Pick<SecretRow, 'key' | 'value' | 'comment'> & Partial<Pick<SecretRow, 'override'>>
