import { LIBC_FILE, LIBC_FUNCTIONS, type Libc } from '../platform/libc.ts'

/** What is used of Deno's API; its own types conflict with Bun's. */
const { build, permissions, dlopen } = (
  globalThis as unknown as {
    Deno: {
      build: { os: string }
      permissions: { querySync(permission: { name: 'ffi' }): { state: string } }
      dlopen(file: string, functions: object): { symbols: unknown }
    }
  }
).Deno

const TYPES = { int: 'i32', unsigned: 'u32', pointer: 'buffer' } as const

/** The C library; null on systems other than Linux with glibc, and where Deno may not call it. */
export function openLibc(): Libc | null {
  if (build.os !== 'linux' || permissions.querySync({ name: 'ffi' }).state !== 'granted') return null
  const functions = Object.entries(LIBC_FUNCTIONS).map(([name, types]) => [
    name,
    { parameters: types.map((type) => TYPES[type]), result: 'i32' },
  ])
  try {
    return dlopen(LIBC_FILE, Object.fromEntries(functions)).symbols as Libc
  } catch {
    // Another C library.
    return null
  }
}
