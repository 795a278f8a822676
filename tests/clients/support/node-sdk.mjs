/**
 * Calls the Node SDK: one call for each line of JSON on the standard input, its result as a line of JSON.
 * Arguments: the folder in which npm has installed the SDK, the host and the token.
 */
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'

const [folder, host, token] = process.argv.slice(2)
const Phase = createRequire(`${folder}/`)('@phase.dev/phase-node')

const client = new Phase(token, host)
let fail = () => {}
// Failed calls of this SDK never end: it throws, or prints, where nobody waits.
process.on('unhandledRejection', (reason) => fail(reason))
console.log = (text) => {
  if (String(text).startsWith('Error')) fail(text)
}

for await (const line of createInterface(process.stdin)) {
  const { name, options } = JSON.parse(line)
  const failed = new Promise((_, reject) => {
    fail = reject
  })
  const answer = await Promise.race([failed, Promise.resolve(client[name](options))]).then(
    (result) => ({ result: result ?? null }),
    (error) => ({ error: error instanceof Error ? error.message : String(error) }),
  )
  process.stdout.write(`${JSON.stringify(answer)}\n`)
}
