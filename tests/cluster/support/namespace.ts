import { attempt, type CommandOptions, output } from './command.ts'

export type KubernetesObject = {
  apiVersion: string
  kind: string
  metadata: {
    name: string
    labels?: Record<string, string>
    annotations?: Record<string, string>
    uid?: string
    resourceVersion?: string
    generation?: number
  }
  spec?: Record<string, unknown>
  status?: Record<string, unknown>
  data?: Record<string, string>
}

/** A namespace that a test has to itself. */
export type Namespace = {
  name: string
  /** Runs kubectl in it, and returns what it prints. */
  kubectl(...args: string[]): Promise<string>
  /** Applies one manifest or several. */
  apply(...objects: object[]): Promise<void>
  /** An object such as `deployment/keyward-backend`. */
  get<T extends object = KubernetesObject>(...what: string[]): Promise<T>
  list(kind: string, selector?: string): Promise<KubernetesObject[]>
  /** Has it deleted, which goes on after this. */
  remove(): Promise<void>
}

const MARK = 'keyward.test/cluster-tier'

/**
 * Makes an empty namespace that enforces the Pod Security Standard `restricted`. One that an earlier run left
 * behind is deleted first; one that is not from these tests is refused.
 */
export async function createNamespace(name: string): Promise<Namespace> {
  const namespace = inNamespace(name)
  await removeNamespace(name)
  await namespace.apply({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {
      name,
      labels: {
        [MARK]: 'true',
        'pod-security.kubernetes.io/enforce': 'restricted',
        // For what makes pods, which enforcement lets pass.
        'pod-security.kubernetes.io/warn': 'restricted',
      },
    },
  })
  return namespace
}

/** Makes a namespace that commands have created one of these tests'. */
export async function takeNamespace(name: string): Promise<void> {
  await attempt(['kubectl', 'label', 'namespace', name, `${MARK}=true`])
}

function inNamespace(name: string): Namespace {
  const run = (args: readonly string[], options?: CommandOptions) =>
    output(['kubectl', '--namespace', name, ...args], { seconds: 300, ...options })
  return {
    name,
    kubectl: (...args) => run(args),
    apply: async (...objects) => {
      const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects })
      await run(['apply', '--server-side', '--force-conflicts', '-f', '-'], { input })
    },
    get: async (...what) => JSON.parse(await run(['get', ...what, '-o', 'json'])),
    list: async (kind, selector = '') => {
      const text = await run(['get', kind, '-o', 'json', ...(selector ? ['-l', selector] : [])])
      return (JSON.parse(text) as { items: KubernetesObject[] }).items
    },
    remove: async () => {
      await output(['kubectl', 'delete', 'namespace', name, '--wait=false'])
    },
  }
}

/** Deletes a namespace of these tests, and waits until it is gone; the others' are refused. */
export async function removeNamespace(name: string): Promise<void> {
  const { code, stdout } = await attempt(['kubectl', 'get', 'namespace', name, '-o', 'json'])
  if (code !== 0) return
  if ((JSON.parse(stdout) as KubernetesObject).metadata.labels?.[MARK] !== 'true') {
    throw new Error(`The cluster has a namespace ${name} that is not from these tests: rename or delete it.`)
  }
  await attempt(['kubectl', '--namespace', name, 'delete', 'deployments,statefulsets,jobs', '--all'])
  await attempt(['kubectl', '--namespace', name, 'delete', 'pods', '--all', '--grace-period=1'])
  await output(['kubectl', 'delete', 'namespace', name, '--wait', '--timeout=180s'], { seconds: 190 })
}
