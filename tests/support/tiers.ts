import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/**
 * A group of test files that ask the same of the machine. `missing` is null where the tier can run, else
 * the reason why not, as a clause. `serial` tiers run one file at a time: their systems are too heavy, or shared.
 * `prepare` is a script that runs before the tests.
 */
export type Tier = {
  name: string
  folder: string
  database?: boolean
  serial?: boolean
  prepare?: string
  /** How long a test may take; 60 without. */
  secondsPerTest?: number
  missing(): string | null
}

const nothingMissing = () => null

/** In the order in which they run. A file belongs to the tier with the longest folder that holds it. */
export const tiers: readonly Tier[] = [
  { name: 'unit', folder: 'tests/', database: true, missing: nothingMissing },
  { name: 'api', folder: 'tests/backend/', database: true, missing: nothingMissing },
  { name: 'edge', folder: 'tests/edge/', database: true, serial: true, missing: nothingMissing },
  { name: 'redis', folder: 'tests/redis/', database: true, missing: () => missingProgram('redis-server') },
  { name: 'containers', folder: 'tests/containers/', serial: true, missing: missingDocker },
  { name: 'chart', folder: 'tests/chart/', missing: missingChartTools },
  {
    name: 'cluster',
    folder: 'tests/cluster/',
    serial: true,
    prepare: 'tests/cluster/prepare.ts',
    missing: missingCluster,
  },
  { name: 'clients', folder: 'tests/clients/', missing: missingClients },
  {
    name: 'browser',
    folder: 'tests/e2e/',
    database: true,
    serial: true,
    secondsPerTest: 120,
    missing: missingBrowser,
  },
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
  return missingKubernetes() ?? missingAll('kubectl', 'helm', 'helm3') ?? missingImages()
}

function missingKubernetes(): string | null {
  const path = process.env.KUBECONFIG
  if (!path) return 'KUBECONFIG is not set'
  if (!path.split(':').some((file) => existsSync(file))) {
    return 'the file that KUBECONFIG names does not exist'
  }
  const missing = missingProgram('kubectl')
  if (missing) return missing
  const answer = spawnSync('kubectl', ['get', '--raw', '/readyz', '--request-timeout=20s'], {
    timeout: 30_000,
    stdio: 'ignore',
  })
  return answer.status === 0 ? null : 'the cluster that KUBECONFIG names does not answer'
}

function missingImages(): string | null {
  if (process.env.KEYWARD_TEST_IMAGE_LOAD) return missingDocker()
  return process.env.KEYWARD_TEST_IMAGE
    ? null
    : 'KEYWARD_TEST_IMAGE_LOAD names no command that brings an image of Docker to the cluster, ' +
        'nor KEYWARD_TEST_IMAGE an image that the cluster can pull'
}

function missingChartTools(): string | null {
  const { KEYWARD_TEST_HELM, KEYWARD_TEST_HELM3, KEYWARD_TEST_KUBE_SCORE } = process.env
  return missingAll(
    KEYWARD_TEST_HELM || 'helm',
    KEYWARD_TEST_HELM3 || 'helm3',
    KEYWARD_TEST_KUBE_SCORE || 'kube-score',
  )
}

const missingAll = (...names: string[]): string | null =>
  names.map((name) => missingProgram(name)).find((missing) => missing !== null) ?? null

function missingBrowser(): string | null {
  return missingProgram('chromium', 'chromium-browser', 'google-chrome')
}

function missingClients(): string | null {
  const {
    KEYWARD_TEST_PHASE_CLI: cli,
    KEYWARD_TEST_PHASE_PYTHON: python,
    KEYWARD_TEST_PHASE_NODE: node,
  } = process.env
  if (!cli) return 'KEYWARD_TEST_PHASE_CLI does not name the command `phase` of phase-cli'
  if (!python) return 'KEYWARD_TEST_PHASE_PYTHON does not name a Python with phase-dev'
  if (!node) return 'KEYWARD_TEST_PHASE_NODE does not name a folder with @phase.dev/phase-node'
  if (!existsSync(`${node}/node_modules/@phase.dev/phase-node`))
    return `${node} does not have @phase.dev/phase-node`
  return missingAll(cli, python, 'node', 'curl', 'jq') ?? missingBrowser()
}
