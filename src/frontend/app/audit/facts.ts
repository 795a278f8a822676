import type { Entry } from '../../../core/audit/entry.ts'
import { counted } from '../components/words.ts'

/** A part of a sentence: words of the console, or what the sentence is about, such as a name that somebody typed. */
export type Piece = string | Readonly<{ name: string }>
export type Sentence = readonly Piece[]

/** The kinds of things whose names the console looks up. */
export type NamedKind = 'member' | 'service_account' | 'role' | 'app' | 'environment'

/** The name of something by its id; null where the viewer may not read it, or it is gone. */
export type NameOf = (kind: NamedKind, id: string) => { name: string; app?: string } | null

/** What a sentence is made from. */
export type Facts = Readonly<{ entry: Entry; nameOf: NameOf }>

/** Makes the sentence of an event. */
export type Say = (facts: Facts) => Sentence

/** A sentence that is the same each time. */
export const words: (text: string) => Say = (text) => () => [text]

/** A sentence: interpolated texts are names, numbers are words, and null is left out. */
export function say(
  words: TemplateStringsArray,
  ...parts: readonly (string | number | Sentence | null)[]
): Sentence {
  const pieces = words.flatMap((text, place): Piece[] => {
    const part = parts[place]
    return [text, ...(part === undefined || part === null ? [] : pieceOf(part))]
  })
  return pieces.filter((piece) => piece !== '')
}

const pieceOf = (part: string | number | Sentence): readonly Piece[] =>
  typeof part === 'string' ? [{ name: part }] : typeof part === 'number' ? [String(part)] : part

/** A sentence as plain text. */
export const plainText = (sentence: Sentence): string =>
  sentence.map((piece) => (typeof piece === 'string' ? piece : piece.name)).join('')

const NOUNS: Readonly<Record<string, string>> = {
  access: 'access',
  app: 'an app',
  audit_log: 'the audit log',
  environment: 'an environment',
  invite: 'an invite',
  job: 'a job',
  key: 'a key',
  member: 'a member',
  organisation: 'the organisation',
  role: 'a role',
  secret: 'a secret',
  service_account: 'a service account',
  session: 'a session',
  token: 'a token',
  user: 'an account',
}

const KINDS: ReadonlySet<string> = new Set<NamedKind>([
  'member',
  'service_account',
  'role',
  'app',
  'environment',
])

/** What an entry is about: by the name that it had then, else the one that it has now; else by its kind. */
export function thing(
  { entry, nameOf }: Facts,
  noun = NOUNS[entry.resourceType] ?? entry.resourceType,
): Sentence {
  const then = textIn(entry.resourceMetadata, 'name')
  if (entry.resourceType === 'environment') return environment({ entry, nameOf }, then) ?? [noun]
  if (then !== null) return [{ name: then }]
  const { resourceType, resourceId } = entry
  const now =
    resourceId !== null && KINDS.has(resourceType) ? nameOf(resourceType as NamedKind, resourceId) : null
  return now === null ? [noun] : [{ name: now.name }]
}

/** An environment and its app: "Staging of Ledger". */
function environment({ entry, nameOf }: Facts, then: string | null): Sentence | null {
  const found = entry.resourceId === null ? null : nameOf('environment', entry.resourceId)
  const name = then ?? found?.name ?? null
  if (name === null) return null
  return found?.app === undefined ? [{ name }] : [{ name }, ' of ', { name: found.app }]
}

/** The part of a refusal's sentence that says where: nothing where its target is not what the words before lead to. */
export const inThing = (facts: Facts): Sentence =>
  facts.entry.resourceId === null || !/^(?:app|environment)$/.test(facts.entry.resourceType)
    ? []
    : say` in ${thing(facts)}`

/** A refusal's target, where it is of this kind. */
export const target = (facts: Facts, kind: string): Sentence =>
  facts.entry.resourceType === kind ? thing(facts) : [NOUNS[kind] ?? kind]

/** The name of somebody by their id, or these words. */
export function person(nameOf: NameOf, id: unknown, words: string): Sentence {
  const found = typeof id === 'string' ? (nameOf('member', id) ?? nameOf('service_account', id)) : null
  return found === null ? [words] : [{ name: found.name }]
}

/** The name of the role in some values. */
export const roleIn = (values: Entry['oldValues']): Sentence => {
  const name = (values?.role as { name?: unknown } | undefined)?.name
  return typeof name === 'string' ? [{ name }] : ['a role']
}

/** A text in some values; null where there is none. */
export const textIn = (values: Entry['oldValues'], key: string): string | null =>
  typeof values?.[key] === 'string' ? (values[key] as string) : null

/** A number in some values; null where there is none. */
export const numberIn = (values: Entry['oldValues'], key: string): number | null =>
  typeof values?.[key] === 'number' ? (values[key] as number) : null

/** The ids under a key of some values. */
export const idsIn = (values: Entry['oldValues'], key: string): readonly string[] => {
  const ids = values?.[key]
  return Array.isArray(ids) ? ids.filter((id): id is string => typeof id === 'string') : []
}

const MOST_NAMED = 4

/** Environments by their names and apps, "Staging and Production of Ledger", or how many there are. */
export function environments(nameOf: NameOf, ids: readonly string[], total: number): Sentence {
  const found = total <= MOST_NAMED ? ids.map((id) => nameOf('environment', id)) : []
  if (total > MOST_NAMED || found.length < total || found.includes(null))
    return [counted(total, 'environment')]
  const apps = Map.groupBy(found, (one) => one?.app ?? '')
  return joined(
    [...apps].map(([app, own]) => [
      ...joined(own.map((one) => [{ name: one?.name ?? '' }])),
      ' of ',
      { name: app },
    ]),
  )
}

/** "A", "A and B", "A, B and C". */
export const joined = (parts: readonly Sentence[]): Sentence =>
  parts.flatMap((part, place) => {
    const before = place === 0 ? [] : [place === parts.length - 1 ? ' and ' : ', ']
    return [...before, ...part]
  })
