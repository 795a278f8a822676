import { createApp } from '../../src/backend/app.ts'
import type { Context } from '../../src/context.ts'

/** What an answer said. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
export type Answer = { status: number; body: any; headers: Headers }

export type Client = {
  get(path: string): Promise<Answer>
  post(path: string, body?: unknown): Promise<Answer>
  put(path: string, body?: unknown): Promise<Answer>
  delete(path: string): Promise<Answer>
  /** Any request, with headers of one's own. */
  send(
    method: string,
    path: string,
    init?: { body?: string | Uint8Array; headers?: Record<string, string> },
  ): Promise<Answer>
}

/** Clients of one backend: `as(token)` calls with a bearer, `anonymous` without. */
export function api(ctx: Context, peerAddress = '127.0.0.1') {
  const app = createApp(ctx, () => peerAddress)
  const client = (authorization: string | null): Client => {
    const send: Client['send'] = async (method, path, init = {}) => {
      const headers = { ...(authorization !== null && { authorization }), ...init.headers }
      const response = await app.handle(new Request(`http://localhost${path}`, { method, ...init, headers }))
      const text = await response.text()
      const isJson = response.headers.get('content-type')?.includes('json')
      return { status: response.status, body: isJson ? JSON.parse(text) : text, headers: response.headers }
    }
    const json = (method: string) => (path: string, body: unknown) =>
      send(method, path, {
        body: JSON.stringify(body ?? {}),
        headers: { 'content-type': 'application/json' },
      })
    return {
      send,
      get: (path) => send('GET', path),
      delete: (path) => send('DELETE', path),
      post: json('POST'),
      put: json('PUT'),
    }
  }
  return { app, as: (token: string) => client(`Bearer ${token}`), anonymous: client(null) }
}
