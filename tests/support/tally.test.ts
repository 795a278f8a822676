import { afterAll, expect, test } from 'bun:test'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readFailures, readSummary, summaryLine, total } from './tally.ts'

const folder = await mkdtemp(join(tmpdir(), 'keyward-tally-'))
afterAll(() => rm(folder, { recursive: true }))

/** Runs test files with these contents through the real `bun test` and reads what it printed. */
async function tallyOf(...contents: string[]) {
  const { output, exitCode } = await runFiles(contents)
  return readSummary(output, exitCode, contents.length)
}

async function runFiles(contents: string[]) {
  const files = contents.map((_, index) => join(folder, `${crypto.randomUUID()}-${index}.test.ts`))
  await Promise.all(
    files.map((file, index) =>
      writeFile(file, `import { expect, test } from 'bun:test'\n${contents[index]}`),
    ),
  )
  const run = Bun.spawn(
    ['sh', '-c', 'exec "$@" 2>&1', 'sh', process.execPath, 'test', '--parallel=2', ...files],
    {
      cwd: folder,
      stdout: 'pipe',
    },
  )
  return { output: await new Response(run.stdout).text(), exitCode: await run.exited }
}

const good = `test('good', () => {})`
const clean = { passed: 0, failed: 0, skipped: 0, fault: null }

test('passed, failed, skipped and still unwritten tests are counted', async () => {
  const tally = await tallyOf(
    `${good}\ntest.skip('s', () => {})\ntest.todo('t')\ntest('f', () => expect(1).toBe(2))`,
  )
  expect(tally).toEqual({ ...clean, passed: 1, failed: 1, skipped: 2 })
})

test('a file that does not load is a failure', async () => {
  expect(await tallyOf(good, `import './nowhere.ts'`)).toEqual({ ...clean, passed: 1, failed: 1 })
})

test('a file that ends its process is a failure, alone and beside others', async () => {
  const ends = `test('ends', () => process.exit(0))`
  expect(await tallyOf(ends)).toMatchObject({
    failed: 1,
    fault: expect.stringContaining('before it printed'),
  })
  expect(await tallyOf(good, ends)).toMatchObject({ passed: 1, failed: 1 })
})

test('a file that kills its process is a failure, alone and beside others', async () => {
  const dies = `test('dies', () => { process.kill(process.pid, 'SIGKILL') })`
  expect(await tallyOf(dies)).toMatchObject({ failed: 1, fault: expect.stringContaining('137') })
  expect(await tallyOf(good, dies)).toMatchObject({ passed: 1, failed: 1 })
})

test('a run without a test is a failure', async () => {
  expect(await tallyOf('export {}')).toEqual({ ...clean, failed: 1, fault: 'No test ran.' })
})

test('an error after the last test is a failure', async () => {
  expect(
    await tallyOf(
      `${good}\nimport { afterAll } from 'bun:test'\nafterAll(() => { throw new Error('late') })`,
    ),
  ).toEqual({ ...clean, passed: 1, failed: 1 })
})

test('a summary that a test prints is not taken for the real one', async () => {
  const liar = `test('liar', () => { console.log('\\n 99 pass\\n 0 fail\\nRan 99 tests across 1 file. [1ms]') })`
  expect(await tallyOf(liar)).toEqual({ ...clean, passed: 1 })
  expect(await tallyOf(`${liar}\ntest('ends', () => process.exit(0))`)).toMatchObject({ failed: 1 })
})

test('a file that was not run, and an exit code without a failed test, are failures', () => {
  const output = ' 5 pass\n 0 fail\nRan 5 tests across 1 file. [1ms]'
  expect(readSummary(output, 0, 2)).toMatchObject({ failed: 1, fault: 'bun test ran 1 of 2 files.' })
  expect(readSummary(output, 1, 1)).toMatchObject({ failed: 1, fault: expect.stringContaining('code 1') })
})

test('each failed test is found with what was printed before it', async () => {
  const { output } = await runFiles([
    `${good}\ntest('first', () => expect('one').toBe('two'))`,
    `test('second', () => { console.log('${'many\\n'.repeat(50)}'); throw new Error('broken') })`,
  ])
  const failures = readFailures(output)
  expect(failures.map((failure) => failure.split('\n').at(-1)?.replace(/ \[.*/, '')).toSorted()).toEqual([
    '(fail) first',
    '(fail) second',
  ])
  for (const failure of failures) {
    expect(failure).toMatch(/^\S+-[01]\.test\.ts:\n/)
    expect(failure.split('\n').length).toBeLessThanOrEqual(32)
  }
})

test('the colours of a terminal do not matter', () => {
  const output = '\u001b[32m 5 pass\u001b[0m\n 0 fail\nRan 5 tests across 1 file. \u001b[2m[1ms]\u001b[0m'
  expect(readSummary(output, 0, 1)).toEqual({ ...clean, passed: 5 })
})

test('the last line sums up, and names skipped tests only where there are any', () => {
  const sum = total([
    { passed: 1, failed: 0, skipped: 0 },
    { passed: 2, failed: 3, skipped: 0 },
  ])
  expect(summaryLine(sum)).toBe('3 passed, 3 failed')
  expect(summaryLine({ ...sum, skipped: 4 })).toBe('3 passed, 3 failed, 4 skipped')
})
