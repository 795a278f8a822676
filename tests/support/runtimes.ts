import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { type Keyward, startKeyward } from './keyward.ts'
import { WORKER, workerdCommand } from './workerd.ts'

const root = join(import.meta.dir, '../..')

/** The runtimes that Keyward runs on. */
export const RUNTIMES = ['bun', 'deno', 'workerd'] as const
export type RuntimeName = (typeof RUNTIMES)[number]

/** Deno, as the package brings it. */
export const DENO = join(root, 'node_modules/deno/deno')

/** Starts the backend on a runtime by the entry that is deployed, with nothing in its environment but `env`. */
export async function startBackend(runtime: RuntimeName, env: Record<string, string>): Promise<Keyward> {
  const port = freePort()
  const settings = { HOST: 'localhost', LOG_LEVEL: 'error', ...env, PORT: String(port) }
  switch (runtime) {
    case 'bun':
      return startKeyward({ args: ['backend'], env: settings })
    case 'deno':
      return startKeyward({ args: ['backend'], env: settings, command: denoCommand('backend') })
    case 'workerd':
      return startKeyward({ command: await workerdCommand(WORKER, port, settings), env: settings })
  }
}

/** Deno's command for a role, with the permissions that deno.json gives it. */
export const denoCommand = (role: string): string[] => [
  DENO,
  'run',
  `-P=${role}`,
  '--no-prompt',
  'src/edge/deno.ts',
]
