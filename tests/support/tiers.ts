import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/**
 * A group of test files that ask the same of the machine. `missing` is null where the tier can run, else
 * the reason why not, as a clause. `serial` tiers run one file at a time: their systems are too heavy, or shared.
 */
export type Tier = {
  name: string
  folder: string
  database?: boolean
  serial?: boolean
  missing(): string | null
}

const nothingMissing = () => null

/** In the order in which they run. A file belongs to the tier with the longest folder that holds it. */
export const tiers: readonly Tier[] = [
  { name: 'unit', folder: 'tests/', database: true, missing: nothingMissing },
  { name: 'api', folder: 'tests/backend/', database: true, missing: nothingMissing },
  { name: 'redis', folder: 'tests/redis/', database: true, missing: () => missingProgram('redis-server') },
  { name: 'containers', folder: 'tests/containers/', serial: true, missing: missingDocker },
  { name: 'chart', folder: 'tests/chart/', missing: () => missingProgram('helm') },
  { name: 'cluster', folder: 'tests/cluster/', serial: true, missing: missingCluster },
  { name: 'browser', folder: 'tests/e2e/', database: true, serial: true, missing: missingBrowser },
]

/** The tier that a test file (relative to the repository, with `/`) belongs to. */
export function tierOf(file: string): Tier {
  const holding = tiers.filter((tier) => file.startsWith(tier.folder))
  const [innermost] = holding.sort((a, b) => b.folder.length - a.folder.length)
  if (!innermost) throw new Error(`${file} is not under tests/.`)
  return innermost
}

function missingProgram(...names: string[]): string | null {
  return names.some((name) => Bun.which(name, { PATH: process.env.PATH ?? '' }))
    ? null
    : `${names.join(' or ')} is not on the PATH`
}

function missingDocker(): string | null {
  const missing = missingProgram('docker')
  if (missing) return missing
  const answer = spawnSync('docker', ['info'], { timeout: 20_000, stdio: 'ignore' })
  return answer.status === 0 ? null : 'the Docker daemon does not answer'
}

function missingCluster(): string | null {
  const path = process.env.KUBECONFIG
  if (!path) return 'KUBECONFIG is not set'
  return path.split(':').some((file) => existsSync(file))
    ? null
    : 'the file that KUBECONFIG names does not exist'
}

function missingBrowser(): string | null {
  return missingProgram('chromium', 'chromium-browser', 'google-chrome')
}
