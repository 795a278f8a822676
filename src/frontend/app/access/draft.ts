import type { AccessApp } from './matrix.ts'

/*
 * A change of access that is not applied yet: what the reader wants of single environments, over the access as it was
 * read. What is not in it is as it was. Pure.
 */

/** By the environment's id: whether it is to be open. Holds only what differs from the access as it was read. */
export type Draft = ReadonlyMap<string, boolean>

export const NO_CHANGES: Draft = new Map()

/** The environments that somebody can open, by their ids. */
export const openIn = (apps: readonly AccessApp[]): ReadonlySet<string> =>
  new Set(apps.flatMap(({ environments }) => environments.map(({ id }) => id)))

/** Whether an environment will be open once the draft is applied. */
export const willBeOpen = (open: ReadonlySet<string>, draft: Draft, id: string): boolean =>
  draft.get(id) ?? open.has(id)

/** The draft with these environments open, or closed. */
export function wanting(
  open: ReadonlySet<string>,
  draft: Draft,
  ids: readonly string[],
  wanted: boolean,
): Draft {
  const next = new Map(draft)
  for (const id of ids) {
    if (open.has(id) === wanted) next.delete(id)
    else next.set(id, wanted)
  }
  return next
}

/** What is left of a draft over another state: without what is so already, and what exists no more. */
export const rebased = (draft: Draft, open: ReadonlySet<string>, existing: ReadonlySet<string>): Draft =>
  new Map([...draft].filter(([id, wanted]) => existing.has(id) && open.has(id) !== wanted))

/** The environments that differ between two states. */
export const differences = (before: ReadonlySet<string>, after: ReadonlySet<string>): Draft =>
  new Map([
    ...[...after].filter((id) => !before.has(id)).map((id) => [id, true] as const),
    ...[...before].filter((id) => !after.has(id)).map((id) => [id, false] as const),
  ])

/** The whole access as a request sets it: every app with what is to be open in it. `apps` has all that can be. */
export function wholeAccess(apps: readonly AccessApp[], open: ReadonlySet<string>, draft: Draft) {
  return apps
    .map(({ id, environments }) => ({
      id,
      environments: environments.map(({ id }) => id).filter((id) => willBeOpen(open, draft, id)),
    }))
    .filter(({ environments }) => environments.length > 0)
}

/** The environments of one app among those that change, as a sentence names them: "Staging and Production of Ledger". */
export type ChangedApp = Readonly<{ app: string; environments: readonly string[] }>

/** What opens and what closes, app by app. */
export function changesByApp(
  apps: readonly AccessApp[],
  draft: Draft,
): { opens: ChangedApp[]; closes: ChangedApp[] } {
  const those = (wanted: boolean) =>
    apps
      .map(({ name, environments }) => ({
        app: name,
        environments: environments.filter(({ id }) => draft.get(id) === wanted).map(({ name }) => name),
      }))
      .filter(({ environments }) => environments.length > 0)
  return { opens: those(true), closes: those(false) }
}
