import { eventually } from '../../support/eventually.ts'
import { output } from './command.ts'
import type { KubernetesObject, Namespace } from './namespace.ts'
import type { Component } from './reach.ts'

const components: readonly Component[] = ['backend', 'frontend', 'worker']

/** The pods of a component that are there to stay. */
export async function podsOf(namespace: Namespace, component: Component | 'postgres' | 'redis') {
  const pods = await namespace.list('pods', `app.kubernetes.io/component=${component}`)
  return pods.filter((pod) => !('deletionTimestamp' in pod.metadata))
}

/** Waits until every roll-out is complete, and the pods that it replaced are gone. */
export async function settled(namespace: Namespace): Promise<void> {
  for (const component of components) {
    await namespace.kubectl('rollout', 'status', `deployment/keyward-${component}`, '--timeout=240s')
  }
  await eventually(
    'the replaced pods are gone',
    async () => {
      const pods = await namespace.list('pods', 'app.kubernetes.io/name=keyward')
      return pods.every((pod) => !('deletionTimestamp' in pod.metadata))
    },
    90,
  )
}

/** The working set of each container, in MiB, by pod and container name; the largest where there are several. */
export async function memoryOf(namespace: Namespace): Promise<Record<string, number>> {
  const usage: Record<string, number> = {}
  for (const node of JSON.parse(await output(['kubectl', 'get', 'nodes', '-o', 'json'])).items) {
    const path = `/api/v1/nodes/${node.metadata.name}/proxy/stats/summary`
    const summary: Summary = JSON.parse(await output(['kubectl', 'get', '--raw', path]))
    for (const { podRef, containers = [] } of summary.pods) {
      if (podRef.namespace !== namespace.name) continue
      for (const { name, memory } of containers) {
        const mebibytes = Math.round((memory?.workingSetBytes ?? 0) / 2 ** 20)
        usage[name] = Math.max(usage[name] ?? 0, mebibytes)
      }
    }
  }
  return usage
}

type Summary = {
  pods: {
    podRef: { name: string; namespace: string }
    containers?: { name: string; memory?: { workingSetBytes?: number } }[]
  }[]
}

/** Whether the pod answers its readiness probe. */
export function isReady(pod: KubernetesObject): boolean {
  const conditions = (pod.status?.conditions ?? []) as { type: string; status: string }[]
  return conditions.some(({ type, status }) => type === 'Ready' && status === 'True')
}
