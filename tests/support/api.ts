import { type App, createApp } from '../../src/backend/app.ts'
import type { Context } from '../../src/context.ts'
import { createChangeLimiter } from '../../src/platform/postgres/limiters.ts'
import { answerChecks } from './answer-checks.ts'
import type { TestDatabase } from './database.ts'
import { fetchRemotely, remoteRuntime } from './remote.ts'

/** What an answer said. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
export type Answer = { status: number; body: any; headers: Headers }

type Calls = {
  get(path: string): Promise<Answer>
  post(path: string, body?: unknown): Promise<Answer>
  put(path: string, body?: unknown): Promise<Answer>
  delete(path: string): Promise<Answer>
  /** Any request, with headers of one's own. */
  send(
    method: string,
    path: string,
    init?: { body?: string | Uint8Array<ArrayBuffer>; headers?: Record<string, string> },
  ): Promise<Answer>
}

/**
 * Someone who calls. Every answer must keep what `answer-checks.ts` says: a status that the route declares, and an
 * audit entry of what was changed. `unrecorded` sends what must leave no entry: because it changes nothing, or because
 * the test keeps the entry from being written.
 */
export type Client = Calls & { unrecorded: Calls }

/**
 * Clients of one backend: `as(token)` calls with a bearer, `anonymous` without. Each backend of a context has lines of its
 * own in which changes of one row wait: so one caller's changes at two backends meet in the database.
 */
export function api(shared: Context & { database: TestDatabase }, peerAddress = '127.0.0.1') {
  const { organisation, environment, preparation } = createChangeLimiter(shared.db)
  const lines = { organisation, environment, preparation }
  const ctx = { ...shared, limitChanges: { ...shared.limitChanges, ...lines } }
  const app = appOf(ctx, peerAddress)
  const check = answerChecks(app, ctx.database.aside)
  const calls = (authorization: string | null, isRecorded: boolean): Calls => {
    const send: Calls['send'] = async (method, path, init = {}) => {
      const headers = {
        ...(authorization !== null && { authorization }),
        ...(init.body !== undefined && { 'content-length': String(Buffer.byteLength(init.body)) }),
        ...init.headers,
      }
      const response = await app.handle(new Request(`http://localhost${path}`, { method, ...init, headers }))
      const answer = await read(response)
      await check({ method, path, isRecorded }, answer)
      return answer
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
  const client = (authorization: string | null): Client => ({
    ...calls(authorization, true),
    unrecorded: calls(authorization, false),
  })
  return { app, as: (token: string) => client(`Bearer ${token}`), anonymous: client(null) }
}

/** The app within this process, or one that asks the runtime that is tested over HTTP. */
function appOf(ctx: Context & { database: TestDatabase }, peerAddress: string): App {
  const app = createApp(ctx, () => peerAddress)
  const runtime = remoteRuntime()
  if (runtime === null) return app
  const ask = (request: Request) => fetchRemotely(runtime, ctx, peerAddress, request)
  return Object.create(app, { handle: { value: ask }, fetch: { value: ask } })
}

async function read(response: Response): Promise<Answer> {
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json')
  return { status: response.status, body: isJson ? JSON.parse(text) : text, headers: response.headers }
}
