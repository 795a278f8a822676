import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { clusterDirectory } from './data-directory.ts'

/** What the server is started with: modest memory, loopback only, durable unless `temporary`. */
export function serverSettings(temporary: boolean): Record<string, string> {
  return {
    ...settings,
    ...(temporary ? { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' } : {}),
  }
}

/** Where the server writes until it has opened its own log. */
export function startLog(directory: string): string {
  return join(directory, 'postgres-start.log')
}

/** Deletes the server's oldest log files: each is 10 MB at most, five are kept. */
export async function pruneLogs(cluster: string): Promise<void> {
  const folder = join(cluster, 'log')
  for (const name of (await logFiles(folder)).slice(0, -5)) await rm(join(folder, name), { force: true })
}

/** Why the server did not start, in its own last words. */
export async function postgresFailure(directory: string): Promise<string> {
  const folder = join(clusterDirectory(directory), 'log')
  const newest = (await logFiles(folder)).at(-1)
  const paths = [startLog(directory), ...(newest ? [join(folder, newest)] : [])]
  const texts = await Promise.all(paths.map((path) => readFile(path, 'utf8').catch(() => '')))
  const words = texts.flatMap((text) => text.trim().split('\n').slice(-4)).join('\n')
  return `The embedded PostgreSQL did not start. It wrote to ${paths.join(' and ')}:\n${words}`
}

const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '50',
  shared_buffers: '64MB',
  max_wal_size: '256MB',
  // Nothing replicates from it.
  wal_level: 'minimal',
  max_wal_senders: '0',
  jit: 'off',
  fsync: 'on',
  timezone: 'UTC',
  log_timezone: 'UTC',
  lc_messages: 'C',
  // Statements that fail, and their details, hold e-mail addresses: whoever sent one gets the error, no log does.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  // By the server itself, so that it neither needs us to read a pipe nor fills the disk.
  logging_collector: 'on',
  log_directory: 'log',
  log_filename: 'postgresql-%Y%m%d-%H%M%S.log',
  log_rotation_size: '10MB',
  log_rotation_age: '0',
}

async function logFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => [])
  return names.filter((name) => name.endsWith('.log')).sort()
}
