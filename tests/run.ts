/**
 * The test command: types and lint, then every tier of tests that this machine can run.
 * Arguments narrow it: names of tiers (`check`, `unit`, …), paths of test files or folders, or both.
 */
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { type Subprocess, spawn } from 'bun'
import { fastestFolder, startTestServer, type TestServer } from './support/server.ts'
import { readFailures, readSummary, summaryLine, type Tally, total } from './support/tally.ts'
import { type Tier, tierOf, tiers } from './support/tiers.ts'

type Plan = { check: boolean; tiers: { tier: Tier; files: string[] }[]; named: boolean }

const none: Tally = { passed: 0, failed: 0, skipped: 0 }
const remarks: string[] = []
let child: Subprocess | undefined
let database: TestServer | undefined
let interrupted = false

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, interrupt)

const plan = await makePlan(process.argv.slice(2))
const results = plan.check ? [await runCheck()] : []
for (const { tier, files } of plan.tiers) results.push(await runTier(tier, files))
await database?.stop()
const sum = total(results)
for (const remark of remarks) console.log(remark)
console.log(summaryLine(sum))
process.exit(sum.failed > 0 || sum.passed === 0 ? 1 : 0)

async function makePlan(words: string[]): Promise<Plan> {
  process.chdir(join(import.meta.dir, '..'))
  const files = (await Array.fromAsync(new Bun.Glob('tests/**/*.test.{ts,tsx}').scan())).sort()
  const chosen = words.length === 0 ? files : files.filter((file) => words.some((word) => names(word, file)))
  const unknown = words.filter((word) => word !== 'check' && !files.some((file) => names(word, file)))
  for (const word of unknown) {
    console.error(
      `There are no tests in ${word}. Name a tier (${tiers.map((tier) => tier.name).join(', ')}), a test file or a folder.`,
    )
  }
  if (unknown.length > 0) process.exit(1)
  return {
    check: words.length === 0 || words.includes('check'),
    tiers: tiers
      .map((tier) => ({ tier, files: chosen.filter((file) => tierOf(file) === tier) }))
      .filter((part) => part.files.length > 0),
    named: words.length > 0,
  }
}

function names(word: string, file: string): boolean {
  const path = word.replace(/^\.\//, '').replace(/\/$/, '')
  return tierOf(file).name === word || file === path || file.startsWith(`${path}/`)
}

async function runCheck(): Promise<Tally> {
  heading('types and lint')
  const { exitCode } = await run(['run', 'check'], {})
  if (exitCode === 0) return { ...none, passed: 1 }
  remarks.push('Failed: types and lint.')
  return { ...none, failed: 1 }
}

async function runTier(tier: Tier, files: string[]): Promise<Tally> {
  const missing = tier.missing()
  if (missing) return passOver(tier, missing)
  heading(tier.name)
  if (tier.prepare && (await run([tier.prepare], {})).exitCode !== 0) {
    remarks.push(`Failed: ${tier.name}, because ${tier.prepare} did.`)
    return { ...none, failed: 1 }
  }
  const env: Record<string, string> = {}
  if (tier.database && !process.env.KEYWARD_TEST_DATABASE_URL) {
    database ??= await startTestServer(await fastestFolder())
    env.KEYWARD_TEST_DATABASE_URL = database.url
  }
  // Each worker holds several pools; beyond six they would fill the server's connections.
  const workers = tier.serial ? 1 : Math.min(availableParallelism() + 1, 6)
  const options = [
    '--no-orphans',
    '--only-failures',
    `--timeout=${(tier.secondsPerTest ?? 60) * 1000}`,
    `--parallel=${workers}`,
    // Files of a worker share modules: evaluating them anew for each took a third of the time.
    '--no-isolate',
  ]
  const { output, exitCode } = await run(['test', ...options, ...files.map((file) => `./${file}`)], env)
  const { fault, ...tally } = readSummary(output, exitCode, files.length)
  if (tally.failed > 0) {
    remarks.push(
      ...readFailures(output),
      `Failed: ${tally.failed} in ${tier.name}.${fault ? ` ${fault}` : ''}`,
    )
  }
  return tally
}

function passOver(tier: Tier, missing: string): Tally {
  const must = plan.named || Boolean(process.env.CI)
  remarks.push(`${must ? 'Failed' : 'Skipped'}: ${tier.name}, because ${missing}.`)
  return must ? { ...none, failed: 1 } : { ...none, skipped: 1 }
}

/** Runs Bun with both outputs in one pipe, so that they stay in order, and shows them as they come. */
async function run(
  args: string[],
  env: Record<string, string>,
): Promise<{ output: string; exitCode: number }> {
  const shell = ['sh', '-c', 'exec "$@" 2>&1', 'sh', process.execPath, ...args]
  const subprocess = spawn(shell, { env: { ...process.env, ...env }, stdout: 'pipe', stderr: 'inherit' })
  child = subprocess
  let output = ''
  for await (const text of subprocess.stdout.pipeThrough(new TextDecoderStream())) {
    output += text
    process.stdout.write(text)
  }
  const exitCode = await subprocess.exited
  if (interrupted) await new Promise(() => {})
  return { output, exitCode }
}

async function interrupt(): Promise<void> {
  interrupted = true
  child?.kill()
  await child?.exited
  await database?.stop()
  console.log('Interrupted.')
  process.exit(130)
}

function heading(text: string): void {
  console.log(`\n── ${text} ──`)
}
