import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { RUNTIMES, type RuntimeName } from '../support/runtimes.ts'
import { readSummary } from '../support/tally.ts'
import { API_TESTS, DIFFERENCES, WITHIN_THE_PROCESS } from './differences.ts'

const root = join(import.meta.dir, '../..')

test.each([...RUNTIMES])(
  'the tests of the API hold over HTTP on %s, but for the differences that are documented',
  async (runtime) => {
    const { output, exitCode } = await run(runtime)
    const { fault, failed, passed } = readSummary(output, exitCode, API_TESTS.length)
    const failures = output.split('\n').filter((line) => line.startsWith('(fail)'))
    expect({ failures, failed, fault }).toEqual({ failures: [], failed: 0, fault: null })
    expect(passed).toBeGreaterThan(180)
  },
  600_000,
)

test('no two differences are the same, and each passes over tests that there are', async () => {
  expect(new Set(DIFFERENCES.map(({ what }) => what)).size).toBe(DIFFERENCES.length)
  const texts = await Promise.all(API_TESTS.map((file) => Bun.file(join(root, file)).text()))
  for (const name of [
    ...WITHIN_THE_PROCESS.map(({ test }) => test),
    ...DIFFERENCES.flatMap(({ tests }) => tests),
  ]) {
    expect(
      texts.some((text) => text.includes(name)),
      name,
    ).toBe(true)
  }
})

async function run(runtime: RuntimeName): Promise<{ output: string; exitCode: number }> {
  const passedOver = [
    ...WITHIN_THE_PROCESS.map(({ test }) => test),
    ...DIFFERENCES.filter(({ runtimes }) => runtimes.includes(runtime)).flatMap(({ tests }) => tests),
  ]
  const names = passedOver.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  const child = Bun.spawn(
    [
      ...['sh', '-c', 'exec "$@" 2>&1', 'sh', process.execPath, 'test', '--only-failures'],
      ...['--timeout=60000', '--parallel=3', '--test-name-pattern', `^(?!.*(?:${names.join('|')})).*$`],
      ...API_TESTS.map((file) => `./${file}`),
    ],
    { cwd: root, stdout: 'pipe', env: { ...process.env, KEYWARD_TEST_RUNTIME: runtime } },
  )
  const output = await new Response(child.stdout).text()
  return { output, exitCode: await child.exited }
}
