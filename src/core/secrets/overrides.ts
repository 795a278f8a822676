import { randomUUID } from 'node:crypto'
import type { Actor } from '../actor.ts'
import { badRequest } from '../errors.ts'
import { enforce } from '../policy.ts'
import type { OverrideValues } from './override-queries.ts'
import * as policy from './policy.ts'
import type { NewOverride, NewSecret, SecretChange, SecretRow } from './secret.ts'

/** The overrides to store with new secrets, of which `rows` has the ids. 403 for a service account. */
export function newOverrideValues(
  actor: Actor,
  secrets: readonly NewSecret[],
  rows: readonly Readonly<{ id: string }>[],
): OverrideValues[] {
  const overrides = secrets.flatMap(({ override }, index) =>
    override === undefined ? [] : [{ override, secretId: rows[index]?.id ?? '' }],
  )
  if (overrides.length > 0) enforce(policy.override, { actor })
  return overrides.map(({ override, secretId }) => valuesOf(secretId, null, override))
}

/** The overrides to store with changes of secrets: those that differ from what is there. */
export function changedOverrideValues(
  pairs: readonly Readonly<{ row: SecretRow; change: SecretChange }>[],
): OverrideValues[] {
  return pairs.flatMap(({ row, change }) => {
    if (change.override === undefined) return []
    const values = valuesOf(row.id, row.override, change.override)
    const isSame = values.value === row.override?.value && values.is_active === row.override.is_active
    return isSame ? [] : [values]
  })
}

function valuesOf(
  secretId: string,
  present: SecretRow['override'],
  { value, isActive }: NewOverride,
): OverrideValues {
  const next = value ?? present?.value
  if (next === undefined) throw badRequest('An override needs a value: there is none yet.')
  return {
    id: present?.id ?? randomUUID(),
    secret_id: secretId,
    value: next,
    is_active: isActive ?? present?.is_active ?? true,
  }
}
