import { queryOptions } from '@tanstack/react-query'

/** What the server tells the console at run time. */
export type ConsoleConfig = { version: string }

export const consoleConfigQuery = queryOptions({
  queryKey: ['config.json'],
  queryFn: async () => (await (await fetch('/config.json')).json()) as ConsoleConfig,
  staleTime: Number.POSITIVE_INFINITY,
})
