/**
 * Brings the images of the cluster tier to the cluster that KUBECONFIG names, with the command that
 * KEYWARD_TEST_IMAGE_LOAD holds: it is given the names of images that Docker has. Without that command the cluster
 * must be able to pull KEYWARD_TEST_IMAGE and, under the same name with `-next` and `-broken` after it, the two with
 * further migrations.
 */
import { images, prepareImages } from '../support/images/build.ts'
import { attempt, output } from './support/command.ts'
import { buildVariants, imageName } from './support/images.ts'

// The cluster itself remembers what it has, so that a new one knows nothing.
const RECORD = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'keyward-test-images' } }

const load = process.env.KEYWARD_TEST_IMAGE_LOAD
if (load) await bring(load)
else console.log(`The cluster is expected to have or pull ${images.keyward}.`)

async function bring(command: string): Promise<void> {
  const started = performance.now()
  const seconds = () => `${((performance.now() - started) / 1000).toFixed(0)} s`
  for (const name of ['keyward', 'postgres', 'redis'] as const) {
    await prepareImages(name)
    console.log(`Image ${images[name]} is built (${seconds()}).`)
  }
  await buildVariants()
  console.log(`The images with further migrations are built (${seconds()}).`)
  const names = [images.keyward, imageName('next'), imageName('broken'), images.postgres, images.redis]
  const ids = await Promise.all(names.map(imageId))
  const before = await loaded()
  const changed = names.filter((name, index) => before[keyOf(name)] !== ids[index])
  if (changed.length > 0) {
    await output(['sh', '-c', `${command} "$@"`, 'sh', ...changed], { seconds: 600 })
  }
  await remember(Object.fromEntries(names.map((name, index) => [keyOf(name), ids[index] ?? ''])))
  console.log(`${changed.length} images were loaded into the cluster (${seconds()}).`)
}

async function imageId(name: string): Promise<string> {
  return (await output(['docker', 'image', 'inspect', '--format', '{{.Id}}', name])).trim()
}

function keyOf(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9.-]/g, '_')
}

async function loaded(): Promise<Record<string, string>> {
  const { code, stdout } = await attempt([
    'kubectl',
    '--namespace=default',
    'get',
    'configmap',
    RECORD.metadata.name,
    '-o',
    'json',
  ])
  return code === 0 ? (JSON.parse(stdout).data ?? {}) : {}
}

async function remember(data: Record<string, string>): Promise<void> {
  const input = JSON.stringify({ ...RECORD, data })
  await output(['kubectl', '--namespace=default', 'apply', '--server-side', '-f', '-'], { input })
}
