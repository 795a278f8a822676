/** A TCP port of loopback that nothing listens on at this moment. */
export function freePort(): number {
  const probe = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  probe.stop(true)
  return probe.port
}
