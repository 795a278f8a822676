import { useQueryClient } from '@tanstack/react-query'
import { secretsKey } from './queries.ts'

/** Reads the secrets of an app again. */
export function useReload(appId: string): () => Promise<void> {
  const queryClient = useQueryClient()
  return () => queryClient.invalidateQueries({ queryKey: secretsKey(appId) })
}
