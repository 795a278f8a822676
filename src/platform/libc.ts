/** The functions of the C library that are used, with their parameters; each gives an int. */
export const LIBC_FUNCTIONS = {
  getrlimit: ['int', 'pointer'],
  setrlimit: ['int', 'pointer'],
  getsockopt: ['int', 'int', 'int', 'pointer', 'pointer'],
  setsockopt: ['int', 'int', 'int', 'pointer', 'unsigned'],
  getsockname: ['int', 'pointer', 'pointer'],
  getpeername: ['int', 'pointer', 'pointer'],
  shutdown: ['int', 'int'],
  eventfd: ['unsigned', 'int'],
  close: ['int'],
} as const satisfies Readonly<Record<string, readonly ParameterType[]>>

/** The file of the C library: glibc on Linux. */
export const LIBC_FILE = 'libc.so.6'

/** The C library. A pointer is given as the array that it points to. */
export type Libc = {
  readonly [Name in keyof typeof LIBC_FUNCTIONS]: (...values: Values<(typeof LIBC_FUNCTIONS)[Name]>) => number
}

type ParameterType = 'int' | 'unsigned' | 'pointer'
type Values<Parameters extends readonly ParameterType[]> = {
  [Index in keyof Parameters]: Parameters[Index] extends 'pointer' ? ArrayBufferView : number
}
