import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** A Postgres server for tests. `stop` resolves once it is gone, data included. */
export type TestServer = { url: string; stop(): Promise<void> }

/** Starts a throw-away Postgres server, which ends with this process at the latest. */
export async function startTestServer(): Promise<TestServer> {
  const script = fileURLToPath(new URL('./postgres-server.ts', import.meta.url))
  // Detached: Ctrl-C reaches the whole foreground group, and the server must outlive the tests that use it.
  const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'], detached: true })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const url = await firstLine(child.stdout, ended)
  child.unref()
  return {
    url,
    stop: async () => {
      child.stdin.end()
      await ended
    },
  }
}

async function firstLine(output: NodeJS.ReadableStream, ended: Promise<void>): Promise<string> {
  let text = ''
  const line = new Promise<string>((resolve) => {
    output.on('data', (chunk) => {
      text += chunk
      const end = text.indexOf('\n')
      if (end >= 0) resolve(text.slice(0, end))
    })
  })
  const failed = ended.then(() => Promise.reject(new Error('The Postgres server for tests did not start.')))
  return await Promise.race([line, failed])
}
