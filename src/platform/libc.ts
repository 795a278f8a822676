import { dlopen } from 'bun:ffi'

/** Calls functions of the C library; does nothing on systems other than Linux with glibc. */
export function withLibc(use: (functions: Libc) => void): void {
  if (process.platform !== 'linux') return
  try {
    functions ??= open()
  } catch {
    // Another C library.
    return
  }
  use(functions)
}

export type Libc = ReturnType<typeof open>
let functions: Libc | undefined

const open = () =>
  dlopen('libc.so.6', {
    getrlimit: { args: ['int', 'ptr'], returns: 'int' },
    setrlimit: { args: ['int', 'ptr'], returns: 'int' },
    getsockopt: { args: ['int', 'int', 'int', 'ptr', 'ptr'], returns: 'int' },
    setsockopt: { args: ['int', 'int', 'int', 'ptr', 'u32'], returns: 'int' },
    getsockname: { args: ['int', 'ptr', 'ptr'], returns: 'int' },
    getpeername: { args: ['int', 'ptr', 'ptr'], returns: 'int' },
    shutdown: { args: ['int', 'int'], returns: 'int' },
  }).symbols
