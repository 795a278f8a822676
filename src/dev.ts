import { mailPreviews } from './dev/mail-previews.ts'
import { listen } from './platform/http/server.ts'

// The entry of `bun run dev`, and of nothing else: what is built for production begins at main.ts.
const server = listen(
  { port: Number(process.env.MAIL_PREVIEW_PORT ?? 8025), address: '127.0.0.1' },
  mailPreviews,
)
process.stdout.write(`Mails are shown at ${server.url}\n`)

await import('./main.ts')
