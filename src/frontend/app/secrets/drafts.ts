import type { Secret, SecretFields } from './secret.ts'
import { nameOf } from './secret-rows.ts'

/** What is to be different about a secret. `own` is the reader's own value, null to have none any more. */
export type Change = Partial<SecretFields> & { own?: string | null }

/** A change of one secret in one environment that is not applied yet. */
export type Draft = Readonly<{
  environmentId: string
  /** The name of the row that it belongs to: that of the stored secret, or of the new one. */
  row: string
  /** What was stored when the change was made; null for a new secret. */
  base: Secret | null
  isDeleted: boolean
  change: Change
}>

/** Changes by environment and row. They hold plaintext, so they live and die with the page. */
export type Drafts = ReadonlyMap<string, Draft>

export const NO_DRAFTS: Drafts = new Map()

/** What is stored by now, by environment. */
type Stored = ReadonlyMap<string, readonly Secret[]>

export type DraftAct =
  | { act: 'change'; environmentId: string; row: string; base: Secret | null; change: Change }
  | { act: 'delete'; environmentId: string; row: string; base: Secret | null }
  | { act: 'forget'; drafts: readonly Draft[]; secrets: Stored }
  | { act: 'rebase'; secrets: Stored }
  | { act: 'discard' }

export const draftKey = (environmentId: string, row: string): string => `${environmentId} ${row}`

/** The drafts after an act. What is the same as what is stored is no change. */
export function reduceDrafts(drafts: Drafts, act: DraftAct): Drafts {
  if (act.act === 'discard') return NO_DRAFTS
  const next = new Map(drafts)
  if (act.act === 'forget') {
    for (const [key, applied] of Map.groupBy(act.drafts, keyOf)) forget(next, key, applied, act.secrets)
  } else if (act.act === 'rebase') {
    for (const [key, draft] of drafts) {
      const secrets = act.secrets.get(draft.environmentId)
      if (secrets !== undefined) next.set(key, rebased(draft, secrets))
    }
  } else {
    put(next, act)
  }
  return next
}

/** The parts of a draft that are applied by themselves: what changes for everybody, and the reader's own value. */
export function partsOf(draft: Draft): Draft[] {
  const { own, ...change } = draft.change
  if (own === undefined || Object.keys(change).length === 0) return [draft]
  return [
    { ...draft, change },
    { ...draft, change: { own } },
  ]
}

/** Whether a part is the reader's own value. */
export const isOwn = ({ change }: Draft): boolean => change.own !== undefined

/** The parts of a draft that are not among those that were applied. */
export function partsLeft(draft: Draft, applied: readonly Draft[]): Draft[] {
  const known = new Set(applied.map((part) => JSON.stringify(part)))
  return partsOf(draft).filter((part) => !known.has(JSON.stringify(part)))
}

/** Takes out the parts that were applied. What was refused stays, and so does what was typed meanwhile. */
function forget(drafts: Map<string, Draft>, key: string, applied: readonly Draft[], secrets: Stored): void {
  const draft = drafts.get(key)
  if (draft === undefined) return
  drafts.delete(key)
  const parts = partsLeft(draft, applied)
  if (parts.length === 0) return
  const left: Draft = { ...draft, change: Object.assign({}, ...parts.map(({ change }) => change)) }
  const next = applied.every(isOwn) ? left : afterChange(left, secrets.get(draft.environmentId) ?? [])
  if (next !== null) drafts.set(keyOf(next), next)
}

/** A draft upon the secret that was changed beneath it, without what is the same there; null where nothing is left. */
function afterChange(draft: Draft, secrets: readonly Secret[]): Draft | null {
  const { base, isDeleted, change } = rebased(draft, secrets)
  const { own, ...rest } = change
  const changeLeft = { ...withoutTheSame(rest, base), ...(own !== undefined && { own }) }
  if (base !== null && !isDeleted && Object.keys(changeLeft).length === 0) return null
  return { ...draft, row: base === null ? draft.row : nameOf(base), base, isDeleted, change: changeLeft }
}

const keyOf = ({ environmentId, row }: Draft): string => draftKey(environmentId, row)

function put(drafts: Map<string, Draft>, act: Extract<DraftAct, { act: 'change' | 'delete' }>): void {
  const { environmentId, row, base } = act
  const key = draftKey(environmentId, row)
  if (act.act === 'delete') {
    // What is not stored yet has nothing to delete.
    if (base === null) drafts.delete(key)
    else drafts.set(key, { environmentId, row, base, isDeleted: true, change: {} })
    return
  }
  const change = withoutTheSame({ ...drafts.get(key)?.change, ...act.change }, base)
  if (base !== null && Object.keys(change).length === 0) drafts.delete(key)
  else drafts.set(key, { environmentId, row, base, isDeleted: false, change })
}

function withoutTheSame(change: Change, base: Secret | null): Change {
  if (base === null) return change
  const stored: Record<keyof Change, unknown> = {
    ...base,
    expiresAt: base.expiresAt ?? null,
    own: base.override?.value ?? null,
  }
  return Object.fromEntries(
    Object.entries(change).filter(
      ([field, value]) =>
        (field === 'value' && base.type === 'sealed') ||
        JSON.stringify(value) !== JSON.stringify(stored[field as keyof Change]),
    ),
  )
}

/** The draft upon what is stored by now: what was deleted meanwhile becomes new again, what was added a change. */
function rebased(draft: Draft, secrets: readonly Secret[]): Draft {
  const base =
    secrets.find((secret) =>
      draft.base === null ? nameOf(secret) === draft.row : secret.id === draft.base.id,
    ) ?? null
  if (draft.isDeleted && base === null) return { ...draft, isDeleted: false, change: {} }
  return { ...draft, base }
}

/** The secret as it will be after the change; null where there will be none. */
export function draftedSecret(stored: Secret | undefined, draft: Draft | undefined): Partial<Secret> | null {
  if (draft === undefined) return stored ?? null
  if (draft.isDeleted) return null
  const { own: _, expiresAt, ...change } = draft.change
  return { ...stored, ...change, ...(expiresAt != null && { expiresAt }) }
}
