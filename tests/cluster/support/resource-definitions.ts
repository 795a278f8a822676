import { join } from 'node:path'
import { eventually } from '../../support/eventually.ts'
import { attempt, output } from './command.ts'

/** Where the definitions of the kinds that the chart can make, but no cluster has of itself, are published. */
const DEFINITIONS = [
  {
    name: 'httproutes.gateway.networking.k8s.io',
    module: 'sigs.k8s.io/gateway-api@v1.4.1',
    file: 'config/crd/standard/gateway.networking.k8s.io_httproutes.yaml',
  },
  {
    name: 'servicemonitors.monitoring.coreos.com',
    module: 'github.com/prometheus-operator/prometheus-operator@v0.85.0',
    file: 'example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml',
  },
  {
    name: 'scaledobjects.keda.sh',
    module: 'github.com/kedacore/keda/v2@v2.18.1',
    file: 'config/crd/bases/keda.sh_scaledobjects.yaml',
  },
  {
    name: 'triggerauthentications.keda.sh',
    module: 'github.com/kedacore/keda/v2@v2.18.1',
    file: 'config/crd/bases/keda.sh_triggerauthentications.yaml',
  },
]

/** Brings to the cluster the definitions that it lacks, and returns what takes them away again. */
export async function addResourceDefinitions(): Promise<() => Promise<void>> {
  const added: string[] = []
  for (const { name, module, file } of DEFINITIONS) {
    if ((await attempt(['kubectl', 'get', 'crd', name])).code === 0) continue
    const { Dir } = JSON.parse(await output(['go', 'mod', 'download', '-json', module], { cwd: '/' }))
    await output(['kubectl', 'create', '-f', join(Dir, file)])
    await eventually(`${name} is established`, () => isEstablished(name), 60)
    added.push(name)
  }
  return async () => {
    if (added.length > 0) await output(['kubectl', 'delete', 'crd', ...added])
  }
}

// `kubectl wait` fails where there are no conditions at all yet.
async function isEstablished(name: string): Promise<boolean> {
  const wait = ['kubectl', 'wait', '--for=condition=Established', `crd/${name}`, '--timeout=1s']
  return (await attempt(wait)).code === 0
}
