import { dlopen } from 'bun:ffi'

const RLIMIT_NOFILE = 7

/**
 * Lowers this process's limit on open files, connections among them; it stays where it is lower already, and on systems other
 * than Linux with glibc.
 */
export function limitOpenFiles(most: number): void {
  if (process.platform !== 'linux') return
  try {
    const { symbols, close } = dlopen('libc.so.6', {
      getrlimit: { args: ['int', 'ptr'], returns: 'int' },
      setrlimit: { args: ['int', 'ptr'], returns: 'int' },
    })
    const limits = new BigUint64Array(2)
    if (symbols.getrlimit(RLIMIT_NOFILE, limits) === 0 && (limits[0] ?? 0n) > BigInt(most)) {
      limits[0] = BigInt(most)
      symbols.setrlimit(RLIMIT_NOFILE, limits)
    }
    close()
  } catch {
    // Another C library: the limit is what the system set.
  }
}
