import { connect, createServer, type Socket } from 'node:net'

/** A port of this machine that passes connections on to several, as a Service of a cluster does. */
export type Balancer = {
  url: string
  /** Passes new connections on to these alone; those that are open stay where they are. */
  endpoints(urls: readonly string[]): void
  /** How many connections are open to one. */
  connections(url: string): number
  close(): void
}

/** Starts one: each new connection goes to any of the endpoints. */
export async function startBalancer(urls: readonly string[]): Promise<Balancer> {
  let current = urls.map((url) => new URL(url))
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const target = current[Math.floor(Math.random() * current.length)]
    if (target === undefined) return client.destroy()
    const upstream = connect(Number(target.port), target.hostname)
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one)
      one.pipe(other)
      one.on('error', () => other.destroy())
      one.on('close', () => sockets.delete(one))
    }
    return undefined
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    endpoints: (next) => {
      current = next.map((url) => new URL(url))
    },
    connections: (url) => {
      const port = Number(new URL(url).port)
      return [...sockets].filter(({ remotePort }) => remotePort === port).length
    },
    close: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
