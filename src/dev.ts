import { rebuildConsole } from './dev/console.ts'
import { mailPreviews } from './dev/mail-previews.ts'
import { bunServe } from './platform/http/serve-bun.ts'
import { listen } from './platform/http/server.ts'

// The entry of `bun run dev`, and of nothing else: what is built for production begins at main.ts.
const server = listenAt(8025) ?? listenAt(0)
process.stdout.write(`Mails are shown at ${server?.url}\n`)

await rebuildConsole()
await import('./main.ts')

function listenAt(port: number) {
  try {
    return listen(bunServe, { port, address: '127.0.0.1' }, () => ({ fetch: mailPreviews() }))
  } catch {
    // The port is taken.
    return null
  }
}
