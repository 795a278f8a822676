import { type QueryClient, queryOptions, skipToken } from '@tanstack/react-query'
import { answer, api } from '../api/client.ts'
import { appQuery, environmentsQuery } from '../apps/queries.ts'
import type { NamedEnvironment } from './secret-rows.ts'
import { plainStore, type Store } from './store.ts'

/** An app with the environments that the reader can open. */
export const openAppQuery = (appId: string) => ({
  ...appQuery(appId),
  select: ({ data }: TaggedApp): SecretsApp => data,
})

type TaggedApp = Awaited<ReturnType<NonNullable<ReturnType<typeof appQuery>['queryFn']>>> & object
export type SecretsApp = TaggedApp['data']

/** Where the secrets of an app are read and written. What opens them in this browser is loaded where it is needed. */
export const storeQuery = (app: { id: string; sseEnabled: boolean } | undefined) =>
  queryOptions({
    queryKey: ['apps', app?.id, 'secrets', 'store', app?.sseEnabled],
    queryFn: app === undefined ? skipToken : () => storeOf(app),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  })

const storeOf = async ({ id, sseEnabled }: { id: string; sseEnabled: boolean }): Promise<Store> =>
  sseEnabled ? plainStore(id) : (await import('./opening/sealed-store.ts')).createSealedStore(id)

/**
 * The secrets of an environment in clear. They are forgotten when the page is left. An environment that has none is not
 * asked for them: the audit log would tell of a read.
 */
export const secretsQuery = (appId: string, environment: NamedEnvironment, store: Store, mayCount: boolean) =>
  queryOptions({
    queryKey: secretsKey(appId, environment.id),
    queryFn: async ({ client }) =>
      mayCount && (await countIn(client, appId, environment)) === 0 ? [] : store.list(environment),
    gcTime: 0,
    staleTime: 60_000,
  })

/** How many secrets an environment has; undefined where that isn't known. The environments of an app share one request. */
async function countIn(
  client: QueryClient,
  appId: string,
  { id }: NamedEnvironment,
): Promise<number | undefined> {
  const counted = await client.fetchQuery({ ...environmentsQuery(appId), staleTime: 0 }).catch(() => [])
  return counted.find((environment) => environment.id === id)?.secretCount
}

/** The apps that references can name. */
export const appNamesQuery = queryOptions({
  queryKey: ['secrets', 'apps-for-references'],
  queryFn: async () => (await answer(api.v1.apps.get({ query: {} }))).data,
  staleTime: 60_000,
})

/** The key of the secrets of one environment of an app, or of all. */
export const secretsKey = (appId: string, environmentId?: string) =>
  ['apps', appId, 'secrets', 'values', ...(environmentId === undefined ? [] : [environmentId])] as const

/** How many people and machines can open an environment. */
export type Readers = Readonly<{ people: number; machines: number; isMore: boolean }>

const MOST_PAGES = 5

/** Who can open an environment, counted up to 500. */
export const readersQuery = (environmentId: string, enabled: boolean) =>
  queryOptions({
    queryKey: ['access', 'readers', environmentId],
    enabled,
    staleTime: 60_000,
    queryFn: async (): Promise<Readers> => {
      const counts = { people: 0, machines: 0 }
      let cursor: string | null = null
      for (let page = 0; page < MOST_PAGES; page++) {
        const { data, next }: { data: { principal: { type: string } }[]; next: string | null } =
          await pageOfReaders(environmentId, cursor)
        for (const { principal } of data) counts[principal.type === 'user' ? 'people' : 'machines']++
        cursor = next
        if (cursor === null) break
      }
      return { ...counts, isMore: cursor !== null }
    },
  })

async function pageOfReaders(environment_id: string, cursor: string | null) {
  const page = await answer(
    api.v1.access.get({ query: { environment_id, limit: 100, ...(cursor !== null && { cursor }) } }),
  )
  return { data: page.data, next: page.nextCursor ?? null }
}
