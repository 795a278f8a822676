import { eventually } from '../../support/eventually.ts'
import type { Namespace } from './namespace.ts'

export type Component = 'backend' | 'frontend' | 'worker'

const components: readonly Component[] = ['backend', 'frontend', 'worker']

/** The Service through which other pods reach a component; the one name that is allowed whatever the host is. */
export const serviceName = (component: Component) => `keyward-${component}`

/**
 * The address on this machine of each component, through the cluster's own load balancing: a NodePort that chooses
 * the same pods as the chart's Service, or as the Deployment where there is none.
 */
export async function reach(namespace: Namespace): Promise<Record<Component, string>> {
  const address = process.env.KEYWARD_TEST_NODE ?? '127.0.0.1'
  const entries = components.map(async (component) => {
    const port = await nodePort(namespace, component)
    const url = `http://${address}:${port}`
    const asked = url.replace('//127.0.0.1:', '//127.0.0.2:')
    await eventually(`${url} reaches the ${component}`, () => isReached(asked, component), 30)
    return [component, url] as const
  })
  return Object.fromEntries(await Promise.all(entries)) as Record<Component, string>
}

// A node learns of a new Service a moment later. Until then it refuses, and for two minutes the kernel remembers that for
// each port on this machine that asked: a later connection from the same port to the same address would be refused too.
// So it is asked by way of another loopback address than the one that the tests then use.
async function isReached(url: string, component: Component): Promise<boolean> {
  const path = component === 'frontend' ? '/api/health' : '/service/health/'
  const options = { keepalive: false, signal: AbortSignal.timeout(2000) }
  return await fetch(`${url}${path}`, options).then(
    (response) => response.ok,
    () => false,
  )
}

async function nodePort(namespace: Namespace, component: Component): Promise<number> {
  const deployment = await namespace.get<Selecting>(`deployment/${serviceName(component)}`)
  const name = `test-${component}`
  await namespace.apply({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name },
    spec: {
      type: 'NodePort',
      selector: deployment.spec.selector.matchLabels,
      ports: [{ port: 80, targetPort: 8080 }],
    },
  })
  const service = await namespace.get<{ spec: { ports: { nodePort: number }[] } }>(`service/${name}`)
  return service.spec.ports[0]?.nodePort ?? 0
}

type Selecting = { spec: { selector: { matchLabels: Record<string, string> } } }

const paths: Record<Component, string> = { backend: '/service/auth/methods/', frontend: '/', worker: '/' }

/** The status of each component's answer under a Host; null where nobody answers. */
export async function statuses(
  addresses: Record<Component, string>,
  host: string,
): Promise<Record<Component, number | null>> {
  const entries = components.map(async (component) => {
    const options = { headers: { host }, keepalive: false, signal: AbortSignal.timeout(5000) }
    const response = await fetch(`${addresses[component]}${paths[component]}`, options).catch(() => null)
    return [component, response?.status ?? null] as const
  })
  return Object.fromEntries(await Promise.all(entries)) as Record<Component, number | null>
}
