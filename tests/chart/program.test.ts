import { describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { YAML } from 'bun'
import { certificate, faultsOf } from '../support/variables.ts'
import { configOf, type Manifest, render, type Values } from './helm.ts'

const folder = mkdtempSync(join(tmpdir(), 'keyward-chart-'))

/** What a container of a component finds in its environment, with its mounts in a folder of the test's. */
function environmentOf(objects: Manifest[], component: string): Record<string, string> {
  const entries = Object.entries(configOf(objects, component)).map(([name, path]) => {
    if (!/^\/(run\/secrets|etc\/keyward)\//.test(path)) return [name, path]
    const file = join(folder, path.replaceAll('/', '-'))
    const secret = path.endsWith('_HEADERS') ? 'authorization=Bearer%20x' : 'ab'.repeat(32)
    writeFileSync(file, path.endsWith('.pem') ? certificate : secret)
    return [name, file]
  })
  return Object.fromEntries(entries)
}

const read = (name: string) =>
  YAML.parse(readFileSync(join(import.meta.dir, `values/${name}.yaml`), 'utf8')) as Values

describe.each(['backend', 'frontend', 'worker', 'migrate'] as const)('the %s', (component) => {
  test.each(['evaluation', 'production', 'gateway'])(
    'starts with the settings that the values of %s give it',
    (name) => {
      expect(faultsOf(component, environmentOf(render(read(name)), component))).toEqual([])
    },
  )

  test('starts without Redis', () => {
    const objects = render({ redis: { enabled: false } })
    expect(faultsOf(component, environmentOf(objects, component))).toEqual([])
  })
})
