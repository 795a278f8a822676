import type { ElysiaAdapter } from 'elysia/adapter'

/**
 * An adapter with two faults of Elysia's mended, which its adapter for Bun has not: an answer of 204 is made of an empty
 * text, at which other runtimes throw, and one with several cookies loses its content type.
 */
export function mended(adapter: ElysiaAdapter): ElysiaAdapter {
  const { mapResponse } = adapter.handler
  return {
    ...adapter,
    handler: {
      ...adapter.handler,
      mapResponse: (response, set, ...rest) => {
        if (set.status === 204 && (response === undefined || response === null)) {
          return mapResponse(new Response(null, { status: 204 }), set, ...rest)
        }
        if (isJson(response)) set.headers['content-type'] ??= 'application/json'
        return mapResponse(response, set, ...rest)
      },
    },
  }
}

/** Whether Elysia makes JSON of it. */
const isJson = (response: unknown): boolean =>
  Array.isArray(response) || (response as object | null)?.constructor === Object
