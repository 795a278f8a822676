import { timingSafeEqual } from 'node:crypto'

type Answer = { result: unknown } | { error: string }

/** Upstash's REST protocol in front of a real Redis. */
export type UpstashFront = {
  url: string
  token: string
  /** Ends it; connections are refused from then on. */
  stop(): Promise<void>
  /** Serves again on the same port. */
  start(): void
}

/**
 * Serves POST / (one command), /pipeline and /multi-exec (lists of commands), with a bearer token and
 * answers in base64 on request, as Upstash documents them: https://upstash.com/docs/redis/features/restapi
 */
export function startUpstashFront(redisUrl: string): UpstashFront {
  const token = crypto.randomUUID()
  let port = 0
  let server: ReturnType<typeof Bun.serve> | null = null

  function start() {
    server = Bun.serve({ hostname: '127.0.0.1', port, fetch: (request) => answer(request, redisUrl, token) })
    port = server.port ?? 0
  }

  start()
  return {
    url: `http://127.0.0.1:${port}`,
    token,
    start,
    stop: async () => {
      await server?.stop(true)
      server = null
    },
  }
}

async function answer(request: Request, redisUrl: string, token: string): Promise<Response> {
  if (!isEqual(request.headers.get('authorization') ?? '', `Bearer ${token}`)) {
    return Response.json({ error: 'Unauthorized' }, { status: 401 })
  }
  const isBase64 = request.headers.get('upstash-encoding') === 'base64'
  const reply = (result: Answer) => ('result' in result && isBase64 ? encode(result) : result)
  const body = (await request.json()) as unknown[]
  // A connection for each request, so that one transaction never mixes with another request's commands.
  const redis = new Bun.RedisClient(redisUrl, { autoReconnect: false, enableAutoPipelining: false })
  try {
    switch (new URL(request.url).pathname) {
      case '/': {
        const result = await run(redis, body)
        return Response.json(reply(result), { status: 'error' in result ? 400 : 200 })
      }
      case '/pipeline': {
        const results: Answer[] = []
        for (const command of body) results.push(await run(redis, command))
        return Response.json(results.map(reply))
      }
      case '/multi-exec':
        return await transaction(redis, body, reply)
      default:
        return Response.json({ error: 'Not Found' }, { status: 404 })
    }
  } finally {
    redis.close()
  }
}

async function transaction(redis: Bun.RedisClient, commands: unknown[], reply: (result: Answer) => Answer) {
  await run(redis, ['MULTI'])
  for (const command of commands) await run(redis, command)
  const results = await run(redis, ['EXEC'])
  if ('error' in results) return Response.json(results, { status: 400 })
  const list = Array.isArray(results.result) ? results.result : []
  return Response.json(list.map((result) => reply({ result })))
}

async function run(redis: Bun.RedisClient, command: unknown): Promise<Answer> {
  if (!Array.isArray(command) || command.length === 0) return { error: 'ERR a command is a list of words' }
  const [name, ...args] = command.map(String)
  try {
    return { result: await redis.send(name ?? '', args) }
  } catch (error) {
    return { error: error instanceof Error ? error.message : 'ERR' }
  }
}

function encode({ result }: { result: unknown }): Answer {
  const encoded = (value: unknown): unknown => {
    if (typeof value === 'string') return Buffer.from(value).toString('base64')
    return Array.isArray(value) ? value.map(encoded) : value
  }
  return { result: result === 'OK' ? 'OK' : encoded(result) }
}

function isEqual(a: string, b: string) {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))
}
