import { createApp } from '../../src/backend/app.ts'
import type { Context } from '../../src/context.ts'
import { builtFiles } from '../../src/frontend/files.ts'
import { createFrontend } from '../../src/frontend/server.ts'

const BACKEND = /^\/+(v1|service|public|swagger|api\/auth\/callback)(\/|$)/

/** Two backends and a frontend behind one port of this machine; each request goes to the backend whose turn it is. */
export function startReplicas(ctx: Context, port: number): { stop(): Promise<void> } {
  const backends = [createApp(ctx, () => '127.0.0.1'), createApp(ctx, () => '127.0.0.1')]
  const frontend = createFrontend(ctx.config, ctx.log, builtFiles())
  let turn = 0
  const answer = async (request: Request): Promise<Response> => {
    if (!BACKEND.test(new URL(request.url).pathname)) return await frontend(request)
    turn = (turn + 1) % backends.length
    return (await backends[turn]?.fetch(request)) ?? new Response(null, { status: 502 })
  }
  const server = Bun.serve({ port, hostname: '127.0.0.1', fetch: answer })
  return { stop: () => server.stop(true) }
}
