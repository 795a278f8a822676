import { expect, test } from 'bun:test'
import { openSync } from 'node:fs'

const SCRIPT = `
  import { createLog } from './src/platform/log.ts'
  import { stopOnSignals } from './src/platform/process.ts'
  stopOnSignals(0)
  const log = createLog()
  for (let line = 0; line < 100; line++) log.warn({ line }, 'A line')
  await Bun.sleep(50)
  console.log('goes on')
  throw new Error('unexpected')
`

// As on a full disk, no write succeeds where the file is open for reading.
test('a process that cannot write to standard error goes on, and ends as usual', async () => {
  const script = Bun.spawn([process.execPath, '--eval', SCRIPT], {
    stdout: 'pipe',
    stderr: openSync('/dev/null', 'r'),
  })
  expect(await new Response(script.stdout).text()).toBe('goes on\n')
  expect(await script.exited).toBe(1)
})
