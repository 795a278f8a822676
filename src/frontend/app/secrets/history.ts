import { queryOptions } from '@tanstack/react-query'
import { answer, api } from '../api/client.ts'
import type { NamedEnvironment } from './secret-rows.ts'
import type { OpenedVersion, Version } from './version.ts'

const listVersions = (id: string) =>
  answer(api.v1.secrets({ id }).versions.get({ query: { values: 'true' } }))

/** The versions of a secret, newest first, and the environment whose keys open them. */
export type History = Readonly<{ environment: NamedEnvironment; versions: readonly Version[] }>

/** The history of a secret, opened in this browser. It is forgotten when the page is left. */
export const historyQuery = (secretId: string, environments: readonly NamedEnvironment[]) =>
  queryOptions({
    queryKey: ['secrets', secretId, 'history'],
    queryFn: async (): Promise<History> => {
      const [rows, { openVersions }] = await Promise.all([
        listVersions(secretId),
        import('./opening/versions.ts'),
      ])
      const { environment, opened } = await openVersions(rows, environments)
      const versions = opened.map((version, place) => ({
        ...version,
        changed: wordsFor(version, opened.slice(0, place)),
      }))
      return { environment, versions: versions.reverse() }
    },
    gcTime: 0,
    staleTime: 30_000,
  })

/** What made a version, in words that follow the name of whoever made it. */
function wordsFor(version: OpenedVersion, before: readonly OpenedVersion[]): string {
  const last = before.at(-1)
  if (version.event === 'created') return 'created it'
  if (version.event === 'deleted') return 'deleted it'
  if (version.event === 'restored') {
    const source = before.findLast(
      (earlier) => earlier.event !== 'deleted' && differencesOf(earlier, version).length === 0,
    )
    return source === undefined ? 'restored it' : `restored version ${source.version}`
  }
  if (last === undefined) return 'changed it'
  const fields = differencesOf(last, version)
  return fields.length === 0 ? 'stored it again' : `changed the ${fields.join(', ')}`
}

/** The names of the fields in which two versions differ. */
export function differencesOf(a: OpenedVersion | Version, b: OpenedVersion | Version): string[] {
  return [
    comparedValue(a) !== comparedValue(b) && 'value',
    a.key !== b.key && 'name',
    a.path !== b.path && 'path',
    a.comment !== b.comment && 'comment',
    a.tags.join(',') !== b.tags.join(',') && 'tags',
    a.type !== b.type && 'type',
    a.expiresAt !== b.expiresAt && 'date',
  ].filter((field) => field !== false)
}

const comparedValue = (version: OpenedVersion | Version): string =>
  version.value ?? ('sealedValue' in version ? (version.sealedValue as string) : '')
