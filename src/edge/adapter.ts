import type { ElysiaAdapter } from 'elysia/adapter'

/**
 * An adapter whose answers of 204 have no body. Elysia makes them of an empty text, which only Bun takes for none: other
 * runtimes throw.
 */
export function withEmptyBodies(adapter: ElysiaAdapter): ElysiaAdapter {
  const { mapResponse } = adapter.handler
  return {
    ...adapter,
    handler: {
      ...adapter.handler,
      mapResponse: (response, set, ...rest) => {
        const isEmpty = set.status === 204 && (response === undefined || response === null)
        return mapResponse(isEmpty ? new Response(null, { status: 204 }) : response, set, ...rest)
      },
    },
  }
}
