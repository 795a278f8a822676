import { queryOptions } from '@tanstack/react-query'
import { type AnswerOf, answer, api, ifMatch, taggedAnswer } from '../api/client.ts'
import { onLatest } from '../api/latest.ts'
import { pagedQuery } from '../api/paging.ts'
import { RoleWasChanged } from '../roles/role-change.ts'
import type { IssuedToken, NewToken, TokenFormat } from '../tokens/token.ts'
import type { AccountsSearch } from './search.ts'

/** The service accounts that the address asks for, page by page. */
export const accountsQuery = ({ q, role, sort }: AccountsSearch) =>
  pagedQuery(['service-accounts', 'list', { q, role, sort }], (page) =>
    answer(
      api.v1['service-accounts'].get({
        query: {
          ...page,
          ...(q !== undefined && { q }),
          ...(role !== undefined && { role_id: role }),
          ...(sort !== undefined && { sort }),
        },
      }),
    ),
  )

/** One service account, with its tokens where the viewer may read them, and the ETag that a change of it names. */
export const accountQuery = (id: string) =>
  queryOptions({
    queryKey: ['service-accounts', id],
    queryFn: () => taggedAnswer(api.v1['service-accounts']({ id }).get()),
  })

export type Account = AnswerOf<ReturnType<(typeof api.v1)['service-accounts']>['get']>

/** The tokens of a service account, oldest first, expired ones included. */
export const tokensQuery = (id: string) =>
  queryOptions({
    queryKey: ['service-accounts', id, 'tokens'],
    queryFn: async () => (await answer(api.v1['service-accounts']({ id }).tokens.get({ query: {} }))).data,
  })

export type AccountRef = Pick<Account, 'id' | 'name' | 'role'>

/** Gives a service account another role, as long as it has the one that was shown; its name may have changed meanwhile. */
export const giveRole = (shown: AccountRef, roleId: string): Promise<AccountRef> =>
  onLatest(
    () => taggedAnswer(api.v1['service-accounts']({ id: shown.id }).get()),
    (latest, etag) => {
      if (latest.role.id !== shown.role.id) throw new RoleWasChanged(shown.name, latest.role)
      return changeAccount(shown.id, etag, { role_id: roleId })
    },
  )

type NewAccount = { name: string; role_id: string; token_name: string; token_format: TokenFormat }

export const createAccount = (body: NewAccount) => answer(api.v1['service-accounts'].post(body))

export const changeAccount = (id: string, etag: string, body: { name?: string; role_id?: string }) =>
  answer(api.v1['service-accounts']({ id }).put(body, ifMatch(etag)))

export const deleteAccount = (id: string, etag: string) =>
  answer(api.v1['service-accounts']({ id }).delete(undefined, ifMatch(etag)))

export const createToken = (id: string, body: NewToken): Promise<IssuedToken> =>
  answer(api.v1['service-accounts']({ id }).tokens.post(body))

export const revokeToken = (id: string, tokenId: string) =>
  answer(api.v1['service-accounts']({ id }).tokens({ token_id: tokenId }).delete())
