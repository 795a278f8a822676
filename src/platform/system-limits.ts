import { dlopen } from 'bun:ffi'
import { readdirSync } from 'node:fs'

const RLIMIT_NOFILE = 7

/**
 * Lowers this process's limit on open files, connections among them; it stays where it is lower already, and on systems other
 * than Linux with glibc.
 */
export function limitOpenFiles(most: number): void {
  withLibrary(({ getrlimit, setrlimit }) => {
    const limits = new BigUint64Array(2)
    if (getrlimit(RLIMIT_NOFILE, limits) === 0 && (limits[0] ?? 0n) > BigInt(most)) {
      limits[0] = BigInt(most)
      setrlimit(RLIMIT_NOFILE, limits)
    }
  })
}

const SOL_SOCKET = 1
const SO_RCVBUF = 8
const SO_ACCEPTCONN = 30
const IPPROTO_TCP = 6
const TCP_NOTSENT_LOWAT = 25

/**
 * Limits the bytes that the system keeps for each connection that is accepted from now on, about: `unsent` ones of answers,
 * and `received` ones of requests. Linux alone would keep up to 4 MiB for a client that reads nothing, and 6 MiB of what comes
 * faster than it is read, and they count for the memory of a container. Does nothing on systems other than Linux with glibc.
 */
export function limitSocketBuffers({ unsent, received }: { unsent: number; received: number }): void {
  withLibrary(({ getsockopt, setsockopt }) => {
    const value = new Int32Array(1)
    const length = new Uint32Array([value.byteLength])
    const set = (descriptor: number, level: number, option: number, bytes: number) =>
      setsockopt(descriptor, level, option, new Int32Array([bytes]), value.byteLength)
    // Connections inherit both from the listening socket, whose descriptor Bun doesn't tell.
    for (const descriptor of readdirSync('/proc/self/fd').map(Number)) {
      if (getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, value, length) !== 0 || value[0] !== 1) continue
      set(descriptor, IPPROTO_TCP, TCP_NOTSENT_LOWAT, unsent)
      set(descriptor, SOL_SOCKET, SO_RCVBUF, received)
    }
  })
}

function withLibrary(use: (functions: ReturnType<typeof openLibrary>['symbols']) => void): void {
  if (process.platform !== 'linux') return
  try {
    const { symbols, close } = openLibrary()
    use(symbols)
    close()
  } catch {
    // Another C library: the limits are what the system set.
  }
}

const openLibrary = () =>
  dlopen('libc.so.6', {
    getrlimit: { args: ['int', 'ptr'], returns: 'int' },
    setrlimit: { args: ['int', 'ptr'], returns: 'int' },
    getsockopt: { args: ['int', 'int', 'int', 'ptr', 'ptr'], returns: 'int' },
    setsockopt: { args: ['int', 'int', 'int', 'ptr', 'u32'], returns: 'int' },
  })
