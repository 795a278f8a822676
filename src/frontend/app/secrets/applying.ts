import { messageOf } from '../api/errors.ts'
import { inWords } from '../components/words.ts'
import type { Draft, Drafts } from './drafts.ts'
import type { NewSecret, Secret, SecretChange } from './secret.ts'
import type { NamedEnvironment } from './secret-rows.ts'
import type { Store } from './store.ts'

/** A part of the changes that was not applied, and the sentence that says why. */
export type Refusal = Readonly<{ environment: NamedEnvironment; sentence: string }>
export type Applied = Readonly<{ applied: Draft[]; refusals: Refusal[]; stored: Map<string, Secret[]> }>

/**
 * Applies changes, each environment with one call for what is deleted, one for what changes and one for what is new, in
 * this order, so that a name that becomes free can be taken. What one call is refused, it is refused as a whole; the other
 * calls are made all the same. A secret that somebody else changed meanwhile is not overwritten.
 */
export async function applyDrafts(
  store: Store,
  drafts: Drafts,
  environments: readonly NamedEnvironment[],
): Promise<Applied> {
  const result: Applied = { applied: [], refusals: [], stored: new Map() }
  for (const environment of environments) {
    const own = [...drafts.values()].filter(({ environmentId }) => environmentId === environment.id)
    if (own.length > 0) await applyToEnvironment(store, environment, own, result)
  }
  return result
}

async function applyToEnvironment(
  store: Store,
  environment: NamedEnvironment,
  drafts: Draft[],
  result: Applied,
): Promise<void> {
  const attempt = async (part: Draft[], call: () => Promise<unknown>): Promise<void> => {
    if (part.length === 0) return
    try {
      await call()
      result.applied.push(...part)
    } catch (error) {
      result.refusals.push({ environment, sentence: withKeys(messageOf(error), part) })
    }
  }
  const changed = drafts.filter((draft) => draft.base !== null && !draft.isDeleted && needsUpdate(draft))
  const deleted = drafts.filter(({ isDeleted, base }) => isDeleted && base !== null)
  const added = drafts.filter(({ base }) => base === null)
  const own = drafts.filter(({ base, change }) => base !== null && change.own !== undefined)
  if (deleted.length + changed.length > 0) {
    const conflict = await conflictIn(store, environment, [...deleted, ...changed], result)
    if (conflict !== null) return void result.refusals.push({ environment, sentence: conflict })
  }
  await attempt(deleted, () => store.remove(environment, deleted.map(idOf)))
  await attempt(changed, () => store.update(environment, changed.map(changeOf)))
  await attempt(added, () => store.create(environment, added.map(newSecretOf)))
  if (added.some((draft) => !result.applied.includes(draft))) await readAgain(store, environment, result)
  for (const draft of own) {
    await attempt([draft], () => store.override(environment, idOf(draft), draft.change.own ?? null))
  }
}

/** A sentence where somebody else has changed one of the secrets since they were read. */
async function conflictIn(
  store: Store,
  environment: NamedEnvironment,
  drafts: Draft[],
  result: Applied,
): Promise<string | null> {
  try {
    const stored = await store.list(environment)
    const versions = new Map(stored.map(({ id, version }) => [id, version]))
    const changed = drafts.filter(({ base }) => base !== null && versions.get(base.id) !== base.version)
    if (changed.length === 0) return null
    result.stored.set(environment.id, stored)
    return `${inWords(changed.map(keyOf))} ${changed.length === 1 ? 'was' : 'were'} changed by someone else since this page read ${changed.length === 1 ? 'it' : 'them'}. Nothing was overwritten. Look at what is stored now, then apply again or discard.`
  } catch (error) {
    return messageOf(error)
  }
}

/** What could not be added may be there by now: then it is a change of what somebody else stored. */
async function readAgain(store: Store, environment: NamedEnvironment, result: Applied): Promise<void> {
  const stored = await store.list(environment).catch(() => null)
  if (stored !== null) result.stored.set(environment.id, stored)
}

const needsUpdate = ({ change }: Draft): boolean => Object.keys(change).some((field) => field !== 'own')
const idOf = ({ base }: Draft): string => base?.id ?? ''
/** The key under which a draft's secret is known to whoever reads the page. */
export const keyOf = ({ base, change, row }: Draft): string =>
  base?.key ?? change.key ?? row.slice(row.indexOf(' ') + 1)

function changeOf({ base, change: { own: _, ...change } }: Draft): SecretChange {
  return { id: base?.id ?? '', ...change }
}

function newSecretOf({ row, change: { own: _, ...change } }: Draft): NewSecret {
  const blank = row.indexOf(' ')
  return { key: row.slice(blank + 1), path: row.slice(0, blank), value: '', ...change }
}

/** The API names secrets by their place in the request; who reads the page knows them by their keys. */
const withKeys = (sentence: string, drafts: Draft[]): string =>
  sentence.replace(/secrets\[(\d+)\]/g, (written, place: string) => {
    const draft = drafts[Number(place)]
    return draft === undefined ? written : (draft.change.key ?? keyOf(draft))
  })
