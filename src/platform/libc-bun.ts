import { dlopen } from 'bun:ffi'
import { LIBC_FILE, LIBC_FUNCTIONS, type Libc } from './libc.ts'

const TYPES = { int: 'int', unsigned: 'u32', pointer: 'ptr' } as const

/** The C library; null on systems other than Linux with glibc. */
export function openLibc(): Libc | null {
  if (process.platform !== 'linux') return null
  const functions = Object.entries(LIBC_FUNCTIONS).map(([name, types]) => [
    name,
    { args: types.map((type) => TYPES[type]), returns: 'int' },
  ])
  try {
    return dlopen(LIBC_FILE, Object.fromEntries(functions)).symbols as unknown as Libc
  } catch {
    // Another C library.
    return null
  }
}
