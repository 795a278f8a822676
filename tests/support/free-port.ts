import { randomInt } from 'node:crypto'

/**
 * A TCP port of loopback that nothing listens on at this moment, and that no outgoing connection gets before somebody does:
 * systems take those from 32768 on.
 */
export function freePort(): number {
  for (;;) {
    const port = randomInt(20_000, 32_768)
    try {
      Bun.listen({ hostname: '127.0.0.1', port, socket: { data() {} } }).stop(true)
      return port
    } catch {
      // It is taken.
    }
  }
}
