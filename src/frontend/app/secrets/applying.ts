import { messageOf } from '../api/errors.ts'
import { inWords } from '../components/words.ts'
import { type Draft, type Drafts, isOwn, partsOf } from './drafts.ts'
import type { NewSecret, Secret, SecretChange } from './secret.ts'
import type { NamedEnvironment } from './secret-rows.ts'
import type { Store } from './store.ts'

/** A part of the changes that was not applied, and the sentence that says why. */
export type Refusal = Readonly<{ environment: NamedEnvironment; sentence: string }>
/** `applied` are parts of drafts. */
export type Applied = Readonly<{ applied: Draft[]; refusals: Refusal[]; stored: Map<string, Secret[]> }>

/**
 * Applies changes, each environment with one call for what is deleted, one for what changes and one for what is new, in
 * this order, so that a name that becomes free can be taken; then one for each of the reader's own values. What one
 * call is refused, it is refused as a whole; the other calls are made all the same. A secret that somebody else changed
 * meanwhile is not overwritten.
 */
export async function applyDrafts(
  store: Store,
  drafts: Drafts,
  environments: readonly NamedEnvironment[],
): Promise<Applied> {
  const result: Applied = { applied: [], refusals: [], stored: new Map() }
  for (const environment of environments) {
    const parts = [...drafts.values()]
      .filter(({ environmentId }) => environmentId === environment.id)
      .flatMap(partsOf)
    if (parts.length > 0) await applyToEnvironment(store, environment, parts, result)
  }
  return result
}

async function applyToEnvironment(
  store: Store,
  environment: NamedEnvironment,
  parts: Draft[],
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
  const own = parts.filter(isOwn)
  const shared = parts.filter((part) => !isOwn(part))
  const changed = shared.filter((part) => part.base !== null && !part.isDeleted && saysSomething(part))
  const deleted = shared.filter(({ isDeleted, base }) => isDeleted && base !== null)
  const added = shared.filter(({ base }) => base === null)
  if (deleted.length + changed.length > 0) {
    const conflict = await conflictIn(store, environment, [...deleted, ...changed], result)
    if (conflict !== null) return void result.refusals.push({ environment, sentence: conflict })
  }
  await attempt(deleted, () => store.remove(environment, deleted.map(idOf)))
  await attempt(changed, () => store.update(environment, changed.map(changeOf)))
  await attempt(added, () => store.create(environment, added.map(newSecretOf)))
  if (added.some((draft) => !result.applied.includes(draft))) await readAgain(store, environment, result)
  for (const part of own) await attempt([part], () => keepOwn(store, environment, part))
}

async function keepOwn(store: Store, environment: NamedEnvironment, part: Draft): Promise<void> {
  const { base, change } = part
  if (base === null) {
    throw new Error(
      `${keyOf(part)} was deleted by someone else: your own value can be kept once it is stored again.`,
    )
  }
  await store.override(environment, base.id, change.own ?? null)
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

const saysSomething = ({ change }: Draft): boolean => Object.keys(change).length > 0
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
