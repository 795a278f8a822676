import { runProgram } from '../commands.ts'
import { deno, denoRuntime } from './deno-runtime.ts'

await runProgram(deno.args, await denoRuntime())
