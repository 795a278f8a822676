import { queryOptions } from '@tanstack/react-query'
import { answer, api, ifMatch, taggedAnswer } from '../api/client.ts'
import { onLatest } from '../api/latest.ts'
import { pagedQuery } from '../api/paging.ts'
import { whileEmpty } from '../api/refresh.ts'

/** What the list of apps shows: a search, and a field with `-` before it for descending. */
export type AppsSearch = { q?: string; sort?: 'name' | '-name' | 'created_at' | '-created_at' }

/** The apps that the viewer can open, page by page. Where there are none, the first one is noticed. */
export const appsQuery = (search: AppsSearch) => ({
  ...pagedQuery(['apps', 'list', search], (page) =>
    answer(api.v1.apps.get({ query: { ...search, sort: search.sort ?? 'name', ...page } })),
  ),
  refetchInterval: whileEmpty,
})

/** An app with its environments, and the version that a change of it is based on. */
export const appQuery = (id: string) =>
  queryOptions({ queryKey: ['apps', id], queryFn: () => taggedAnswer(api.v1.apps({ id }).get()) })

/** The environments of an app with what can be told without opening them. */
export const environmentsQuery = (appId: string) =>
  queryOptions({
    queryKey: ['apps', appId, 'environments'],
    queryFn: async () => (await answer(api.v1.environments.get({ query: { app_id: appId } }))).data,
  })

/** The first people and machines who can open an app; `more` tells whether there are others. */
export const appAccessQuery = (appId: string) =>
  pagedQuery(
    ['apps', appId, 'access'],
    (page) => answer(api.v1.access.get({ query: { app_id: appId, ...page } })),
    200,
  )

type AppChange = { name?: string; description?: string | null; sse_enabled?: boolean }

export const createApp = (body: { name: string; description?: string; environments?: string[] }) =>
  answer(api.v1.apps.post(body))

export const changeApp = (id: string, etag: string, body: AppChange) =>
  answer(api.v1.apps({ id }).put(body, ifMatch(etag)))

/** Switches server-side encryption on or off; whoever came first meant the same. */
export const switchEncryption = (id: string, isOn: boolean) =>
  onLatest(
    () => taggedAnswer(api.v1.apps({ id }).get()),
    async (app, etag) => {
      if (app.sseEnabled !== isOn) await changeApp(id, etag, { sse_enabled: isOn })
    },
  )

export const deleteApp = (id: string, etag: string) =>
  answer(api.v1.apps({ id }).delete(undefined, ifMatch(etag)))

export const createEnvironment = (appId: string, name: string) =>
  answer(api.v1.environments.post({ name }, { query: { app_id: appId } }))

export const readEnvironment = (id: string) => taggedAnswer(api.v1.environments({ id }).get())

export const renameEnvironment = (id: string, name: string, etag: string) =>
  answer(api.v1.environments({ id }).put({ name }, ifMatch(etag)))

export const deleteEnvironment = async (id: string) => {
  const { etag } = await readEnvironment(id)
  return answer(api.v1.environments({ id }).delete(undefined, ifMatch(etag)))
}
