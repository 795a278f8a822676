import { QueryClient } from '@tanstack/react-query'
import { ApiError, isPassing } from './errors.ts'

/** Answers of the API, kept while the session lasts: what one account has read is never shown to another. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // What the API refuses, it refuses again; what can't be reached may be there in a moment.
      retry: (count, error) => count < 2 && (!(error instanceof ApiError) || isPassing(error)),
    },
  },
})
