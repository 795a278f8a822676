/** How many tests ended how. A test that is marked as still to be written counts as skipped. */
export type Tally = { passed: number; failed: number; skipped: number }

/** Several tallies as one. */
export function total(tallies: readonly Tally[]): Tally {
  return tallies.reduce(
    (sum, tally) => ({
      passed: sum.passed + tally.passed,
      failed: sum.failed + tally.failed,
      skipped: sum.skipped + tally.skipped,
    }),
    { passed: 0, failed: 0, skipped: 0 },
  )
}

/** `N passed, N failed`, and `, N skipped` where something was. */
export function summaryLine({ passed, failed, skipped }: Tally): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}

/**
 * Reads what `bun test` printed about `files` test files. `fault` is a sentence where the run itself went
 * wrong (no summary, a file that was not run, an exit code that the summary does not explain): a failure more.
 */
export function readSummary(
  output: string,
  exitCode: number,
  files: number,
): Tally & { fault: string | null } {
  const summary = lastSummary(output)
  const count = (word: string) => Number(summary.match(new RegExp(`^ *(\\d+) ${word}$`, 'm'))?.[1] ?? 0)
  const fault = findFault(summary, exitCode, files, count('fail'))
  return {
    passed: count('pass'),
    failed: count('fail') + (fault ? 1 : 0),
    skipped: count('skip') + count('todo'),
    fault,
  }
}

/** The block that ends the output, so that what a test printed can't be taken for it. */
function lastSummary(output: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours of a terminal start with one
  const plain = output.replace(/\u001b\[[0-9;]*m/g, '').trimEnd()
  const start = Math.max(...[...plain.matchAll(/^ *\d+ pass$/gm)].map((match) => match.index), -1)
  const block = start < 0 ? '' : plain.slice(start)
  return /^Ran \d+ tests? across \d+ files?\. .*$/.test(block.split('\n').at(-1) ?? '') ? block : ''
}

function findFault(summary: string, exitCode: number, files: number, failed: number): string | null {
  if (summary === '') return `bun test ended with code ${exitCode} before it printed a summary.`
  const [, tests, ran] = summary.match(/^Ran (\d+) tests? across (\d+) files?\./m) ?? []
  if (Number(ran) !== files) return `bun test ran ${ran} of ${files} files.`
  if (Number(tests) === 0) return 'No test ran.'
  if (exitCode !== 0 && failed === 0) return `bun test ended with code ${exitCode}, though no test failed.`
  return null
}
