import type { Libc } from './libc.ts'

const RLIMIT_NOFILE = 7

/**
 * Lowers this process's limit on open files, connections among them; it stays where it is lower already. Gives the limit, `most`
 * where nothing tells it.
 */
export function limitOpenFiles({ getrlimit, setrlimit }: Libc, most: number): number {
  const limits = new BigUint64Array(2)
  if (getrlimit(RLIMIT_NOFILE, limits) !== 0) return most
  if ((limits[0] ?? 0n) > BigInt(most)) {
    limits[0] = BigInt(most)
    setrlimit(RLIMIT_NOFILE, limits)
  }
  return Number(limits[0])
}

const SOL_SOCKET = 1
const SO_RCVBUF = 8
const SO_ACCEPTCONN = 30
const IPPROTO_TCP = 6
const TCP_NOTSENT_LOWAT = 25

/**
 * Limits the bytes that the system keeps for each connection that is accepted from now on, about: `unsent` ones of answers,
 * and `received` ones of requests. Linux alone would keep up to 4 MiB for a client that reads nothing, and 6 MiB of what comes
 * faster than it is read, and they count for the memory of a container.
 */
export function limitSocketBuffers(
  { getsockopt, setsockopt }: Libc,
  { unsent, received, maxOpenFiles }: { unsent: number; received: number; maxOpenFiles: number },
): void {
  const value = new Int32Array(1)
  const length = new Uint32Array([value.byteLength])
  const set = (descriptor: number, level: number, option: number, bytes: number) =>
    setsockopt(descriptor, level, option, new Int32Array([bytes]), value.byteLength)
  // Connections inherit both from the listening socket, whose descriptor the runtimes don't tell.
  for (let descriptor = 0; descriptor < maxOpenFiles; descriptor++) {
    if (getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, value, length) !== 0 || value[0] !== 1) continue
    set(descriptor, IPPROTO_TCP, TCP_NOTSENT_LOWAT, unsent)
    set(descriptor, SOL_SOCKET, SO_RCVBUF, received)
  }
}
