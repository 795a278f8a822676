import { expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { YAML } from 'bun'
import { CHART, HELMS, type HelmVersion, helm } from './helm.ts'

const versions = Object.keys(HELMS) as HelmVersion[]
const valueSets = ['evaluation', 'production', 'gateway']
const valuesFile = (name: string) => join(import.meta.dir, `values/${name}.yaml`)

test.each(versions)('%s is the version that its name says', (version) => {
  expect(helm(version, ['version', '--short']).text).toStartWith(version === 'helm 4' ? 'v4.' : 'v3.')
})

test.each(versions.flatMap((version) => valueSets.map((name) => [version, name] as const)))(
  '%s finds nothing to warn of in the chart with the values of %s',
  (version, name) => {
    const result = helm(version, ['lint', CHART, '--strict', '--values', valuesFile(name)])
    expect(result.text + result.error).not.toMatch(/\[(ERROR|WARNING)\]/)
    expect(result.ok).toBe(true)
  },
)

test('37. every check that kube-linter leaves out is left out for a reason that stands above it', () => {
  const text = readFileSync(join(CHART, '.kube-linter.yaml'), 'utf8')
  const { checks } = YAML.parse(text) as { checks: { exclude: string[] } }
  for (const name of checks.exclude) expect(text).toMatch(new RegExp(`# [^\\n]+\\n\\s+- ${name}\\n`))
  expect(Object.keys(checks)).toEqual(['exclude'])
})

// It is had from a host of its own, which not every machine reaches; where it is there, it must find nothing.
const kubeLinter = process.env.KEYWARD_TEST_KUBE_LINTER || Bun.which('kube-linter')
for (const name of valueSets) {
  test.skipIf(!kubeLinter)(`37. kube-linter finds nothing in what the values of ${name} render`, () => {
    const words = ['template', 'keyward', CHART, '--namespace', 'kw', '--values', valuesFile(name)]
    const { text } = helm('helm 4', words)
    const options = ['lint', '-', '--config', join(CHART, '.kube-linter.yaml')]
    const result = spawnSync(kubeLinter || '', options, { input: text, encoding: 'utf8' })
    expect(result.stdout + result.stderr).toContain('No lint errors found!')
    expect(result.status).toBe(0)
  })
}
