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

/**
 * What `bun test` printed about each test that failed: its file, the last 30 lines before its name, its name.
 * It is read from the end of a long log, where those who look for it start.
 */
export function readFailures(output: string): string[] {
  const failures: string[] = []
  let file = ''
  let lines: string[] = []
  for (const line of withoutColours(output).split('\n')) {
    if (/^\S+\.test\.tsx?:$/.test(line)) file = line
    if (line.startsWith('(fail) ')) failures.push([file, ...lines.slice(-30), line].join('\n'))
    if (line === file || /^\((fail|pass|skip|todo)\) /.test(line)) lines = []
    else lines.push(line)
  }
  return failures
}

function withoutColours(output: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours of a terminal start with one
  return output.replace(/\u001b\[[0-9;]*m/g, '')
}

/** The block that ends the output, so that what a test printed can't be taken for it. */
function lastSummary(output: string): string {
  const plain = withoutColours(output).trimEnd()
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
