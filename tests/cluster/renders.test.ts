import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { attempt, output } from './support/command.ts'
import { createNamespace, type Namespace } from './support/namespace.ts'
import { addResourceDefinitions } from './support/resource-definitions.ts'

const MINUTES = 60_000
const folder = new URL('../chart/golden/', import.meta.url)
const names = readdirSync(folder).filter((name) => name.endsWith('.yaml'))

let namespace: Namespace
let removeDefinitions = async () => {}

beforeAll(async () => {
  namespace = await createNamespace('keyward-renders')
  removeDefinitions = await addResourceDefinitions()
}, 5 * MINUTES)
afterAll(async () => {
  await removeDefinitions()
  await namespace.remove()
}, MINUTES)

const apply = (manifests: string) =>
  attempt(['kubectl', 'apply', '--dry-run=server', '--validate=strict', '-f', '-'], { input: manifests })

/** A golden render, in the namespace of this test instead of its own, and a value for each generated secret. */
const render = (name: string) =>
  readFileSync(new URL(name, folder), 'utf8')
    .replaceAll(/^( +namespace:) "kw"$/gm, `$1 ${namespace.name}`)
    .replaceAll(/^( {2}[A-Z_]+:) generated$/gm, `$1 ${btoa('generated')}`)

/** A dry run creates nothing, and a pod is refused without its ServiceAccount. */
async function addServiceAccounts(manifests: string): Promise<void> {
  const accounts = manifests.split(/^---$/m).filter((text) => /^kind: ServiceAccount$/m.test(text))
  if (accounts.length === 0) return
  await output(['kubectl', 'apply', '-f', '-'], { input: accounts.join('\n---\n') })
}

test('there are golden renders', () => {
  expect(names.length).toBeGreaterThan(2)
})

test.each(names)(
  'the API server takes %s, every field of it, and Pod Security has nothing against it',
  async (name) => {
    await addServiceAccounts(render(name))
    const { code, stdout, stderr } = await apply(render(name))
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const lines = stdout.trim().split('\n')
    expect(lines.length).toBeGreaterThan(10)
    expect(lines.filter((line) => !/ (created|unchanged|configured) \(server dry run\)$/.test(line))).toEqual(
      [],
    )
  },
  MINUTES,
)

test(
  'a field that Kubernetes does not know would be refused',
  async () => {
    const wrong = render('evaluation.yaml').replace('minReadySeconds:', 'minReadySecond:')
    const { code, stderr } = await apply(wrong)
    expect(code).toBe(1)
    expect(stderr).toContain('unknown field "spec.minReadySecond"')
  },
  MINUTES,
)
