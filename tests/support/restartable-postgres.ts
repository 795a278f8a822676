import { chown, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { selfSignedCertificate } from './certificate.ts'
import { createPostgres, type TestPostgres } from './postgres.ts'

/** A Postgres server with TLS that one test may stop, start and freeze. */
export type RestartablePostgres = TestPostgres & {
  /** Stops all its processes with SIGSTOP: connections stay open, new ones are taken, and nothing is answered. */
  freeze(): Promise<void>
  thaw(): Promise<void>
}

/** Creates and starts it, which takes about a second. */
export async function startRestartablePostgres(): Promise<RestartablePostgres> {
  const server = await createPostgres({ ssl: 'on' })
  await certify(server.cluster)
  await server.start()
  let frozen: number[] = []
  const thaw = async () => {
    for (const pid of frozen) process.kill(pid, 'SIGCONT')
    frozen = []
  }
  return {
    ...server,
    async freeze() {
      const postmaster = server.pid() ?? 0
      // First the one that would start others.
      frozen = [postmaster]
      process.kill(postmaster, 'SIGSTOP')
      // Again until there is no new one: a fork may be under way.
      for (let isNew = true; isNew; await Bun.sleep(10)) {
        const others = (await childrenOf(postmaster)).filter((pid) => !frozen.includes(pid))
        for (const pid of others) process.kill(pid, 'SIGSTOP')
        frozen.unshift(...others)
        isNew = others.length > 0
      }
    },
    thaw,
    async remove() {
      await thaw()
      await server.remove()
    },
  }
}

/** Gives it a certificate, so that it offers TLS. */
async function certify(cluster: string): Promise<void> {
  const { uid, gid } = await stat(cluster)
  const { cert, key } = selfSignedCertificate()
  for (const [name, text] of Object.entries({ 'server.crt': cert, 'server.key': key })) {
    await writeFile(join(cluster, name), text, { mode: 0o600 })
    await chown(join(cluster, name), uid, gid)
  }
}

async function childrenOf(parent: number): Promise<number[]> {
  const list = await Bun.$`ps -A -o pid=,ppid=`.text()
  const processes = list.split('\n').map((line) => line.trim().split(/\s+/).map(Number))
  return processes.flatMap(([pid, ppid]) => (pid !== undefined && ppid === parent ? [pid] : []))
}
