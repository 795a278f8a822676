import { runProgram } from './commands.ts'
import { bun } from './platform/bun.ts'

await runProgram(process.argv.slice(2), bun)
