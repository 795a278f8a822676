import type { Config } from '../config.ts'

/** What `keyward serve` prints: the address, what to back up, and how to begin. */
export function banner(config: Config, hasOwner: boolean): string {
  const lines = [
    `Keyward ${config.version} is running at ${config.origin}`,
    ...(config.database === null
      ? [
          `  Data             ${config.dataDirectory}`,
          `  Back up          ${config.dataDirectory}/secrets/SERVER_SECRET: without it the keys in the database are lost`,
        ]
      : ['  Back up          SERVER_SECRET: without it the keys in the database are lost']),
    ...(hasOwner
      ? []
      : [`  First account    ${config.origin}/setup: whoever registers first becomes the Owner`]),
    `  API              ${config.origin}/swagger`,
  ]
  return `${lines.join('\n')}\n`
}
