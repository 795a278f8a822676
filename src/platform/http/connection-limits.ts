import type { Libc } from '../libc.ts'
import { limitOpenFiles, limitSocketBuffers } from '../system-limits.ts'
import { endIdleConnections } from './idle-connections.ts'

/** What is not sent yet stays in this process, where it is counted, or is one copy for all who ask for it. */
const SOCKET_BUFFERS = { unsent: 32 * 1024, received: 128 * 1024 }

/** Each connection on which headers begin to arrive may take 16 KiB: Bun has no limit on how many there are. */
const MAX_OPEN_FILES = 8192

/**
 * Limits the memory that the connections to a port may take, which a server listens on already: how many there are, with all
 * open files, and what the system keeps of each. Gives what ends that. Does nothing without the C library.
 */
export function limitConnections(libc: Libc | null, port: number, most = MAX_OPEN_FILES): () => void {
  if (libc === null) return () => {}
  const maxOpenFiles = limitOpenFiles(libc, MAX_OPEN_FILES)
  limitSocketBuffers(libc, { ...SOCKET_BUFFERS, maxOpenFiles })
  return endIdleConnections(libc, port, { most: Math.min(most, maxOpenFiles), maxOpenFiles })
}
