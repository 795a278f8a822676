import type { Libc } from '../libc.ts'

/** Above this part of the descriptors that a process should have, connections are ended, until this part is in use. */
const FULL = 7 / 8
const ENOUGH = 3 / 4

const CHECK_MS = 250

/** So many connections of each site are left alone as long as another site has more than that. */
const LEAST_OF_A_SITE = 64

/**
 * Ends connections to a port when the process nears `most` open files, of the `maxOpenFiles` that it may have: those beyond
 * 64 of the sites that have the most, then others, the ones first on which nothing has come or gone for the longest time.
 * Otherwise idle ones, which cost a client nothing, would keep everybody's new ones out. Gives what ends that.
 */
export function endIdleConnections(
  libc: Libc,
  port: number,
  { most, maxOpenFiles }: { most: number; maxOpenFiles: number },
): () => void {
  const timer = setInterval(() => {
    const inUse = descriptorsInUse(libc, maxOpenFiles)
    if (inUse < FULL * most) return
    const connections = inOrderOfEnd(connectionsTo(libc, port, maxOpenFiles))
    for (const { descriptor } of connections.slice(0, Math.ceil(inUse - ENOUGH * most)))
      libc.shutdown(descriptor, SHUT_RDWR)
  }, CHECK_MS)
  timer.unref()
  return () => clearInterval(timer)
}

/** How many descriptors are in use at least: a new one is the lowest that is free. */
function descriptorsInUse({ eventfd, close }: Libc, maxOpenFiles: number): number {
  const descriptor = eventfd(0, EFD_CLOEXEC)
  if (descriptor === -1) return maxOpenFiles
  close(descriptor)
  return descriptor
}

type Connection = Readonly<{ descriptor: number; site: string; idleMs: number }>

function inOrderOfEnd(connections: readonly Connection[]): Connection[] {
  const ofSite = new Map<string, number>()
  return connections
    .toSorted((a, b) => a.idleMs - b.idleMs)
    .map((connection) => {
      const rank = ofSite.get(connection.site) ?? 0
      ofSite.set(connection.site, rank + 1)
      return { ...connection, rank: Math.max(rank, LEAST_OF_A_SITE) }
    })
    .sort((a, b) => b.rank - a.rank || b.idleMs - a.idleMs)
}

const EFD_CLOEXEC = 0o2000000
const AF_INET = 2
const AF_INET6 = 10
const IPPROTO_TCP = 6
const TCP_INFO = 11
const SHUT_RDWR = 2

/** Where `struct tcp_info` has the milliseconds since data was sent and received last. */
const LAST_DATA_SENT = 44
const LAST_DATA_RECEIVED = 52

function connectionsTo(libc: Libc, port: number, maxOpenFiles: number): Connection[] {
  const address = Buffer.alloc(28)
  const info = Buffer.alloc(104)
  const length = new Uint32Array(1)
  const readAddress = (call: typeof libc.getsockname, descriptor: number) => {
    length[0] = address.length
    return call(descriptor, address, length) === 0
  }
  const readInfo = (descriptor: number) => {
    length[0] = info.length
    return libc.getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, info, length) === 0
  }
  const connections: Connection[] = []
  for (let descriptor = 0; descriptor < maxOpenFiles; descriptor++) {
    if (!readAddress(libc.getsockname, descriptor) || portOf(address) !== port) continue
    if (!readAddress(libc.getpeername, descriptor) || !readInfo(descriptor)) continue
    const idleMs = Math.min(info.readUInt32LE(LAST_DATA_SENT), info.readUInt32LE(LAST_DATA_RECEIVED))
    connections.push({ descriptor, site: siteOf(address), idleMs })
  }
  return connections
}

const isInternet = (address: Buffer) => [AF_INET, AF_INET6].includes(address.readUInt16LE(0))
const portOf = (address: Buffer) => (isInternet(address) ? address.readUInt16BE(2) : null)

/** An address of IPv4, or a network of 64 bits of IPv6: whoever has one of its addresses has all of them. */
function siteOf(address: Buffer): string {
  if (address.readUInt16LE(0) === AF_INET) return address.toString('hex', 4, 8)
  const isMapped = address.toString('hex', 8, 20) === '00000000000000000000ffff'
  return isMapped ? address.toString('hex', 20, 24) : address.toString('hex', 8, 16)
}
