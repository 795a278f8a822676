import { queryOptions } from '@tanstack/react-query'
import { answer, api } from '../api/client.ts'

/** The ways to sign in that this deployment offers, and whether it still has to be set up. */
export const methodsQuery = queryOptions({
  queryKey: ['methods'],
  queryFn: () => answer(api.service.auth.methods.get()),
  staleTime: 60_000,
})
