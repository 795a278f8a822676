import type { Terminal } from '../platform/terminal.ts'
import { type Input, UsageError } from './command.ts'

/** Asks whether to go on, unless `--yes` was given. False when the answer is no; throws where nobody can be asked. */
export async function confirm(terminal: Terminal, input: Input, question: string): Promise<boolean> {
  if (input.switches.has('yes')) return true
  if (!terminal.canAsk) {
    throw new UsageError(
      `${question}\nNobody can be asked: standard input is no terminal. Run the command on one (kubectl exec -it, ` +
        'docker exec -it), or add --yes. Nothing was changed.',
    )
  }
  const answer = await terminal.ask(`${question} [y/N] `)
  if (/^(y|yes)$/i.test(answer?.trim() ?? '')) return true
  terminal.warn('Nothing was changed.\n')
  return false
}
