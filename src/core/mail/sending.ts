import type { Context } from '../../context.ts'
import { type Letter, oneLine, textOf } from './letter.ts'

/** The job that mails a letter: the same id at every try, and what ends when its time is over. */
export type Delivery = Readonly<{ jobId: string; signal: AbortSignal }>

/**
 * Mails a letter as HTML and as plain text. A job that is run again sends a mail of the same `Message-ID`: whoever gets
 * both can tell that they are one.
 */
export async function sendLetter(
  ctx: Context,
  to: string,
  letter: Letter,
  { jobId, signal }: Delivery,
): Promise<void> {
  // React is loaded by the first mail: a backend, which sends none, never loads it.
  const { htmlOf } = await import('./rendering.tsx')
  await ctx.mailer.send(
    { id: jobId, to, subject: oneLine(letter.subject), text: textOf(letter), html: await htmlOf(letter) },
    signal,
  )
}
