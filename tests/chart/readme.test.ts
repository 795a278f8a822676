import { expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import packageJson from '../../package.json' with { type: 'json' }
import {
  CHART,
  existing,
  HELMS,
  type HelmVersion,
  helm,
  host,
  type Manifest,
  one,
  render,
  type Values,
} from './helm.ts'
import { valueRows, valuesTable } from './values-table.ts'

const versions = Object.keys(HELMS) as HelmVersion[]

test('38. the README lists every value with its default and a sentence, as values.yaml has them', () => {
  const file = join(CHART, 'README.md')
  const text = readFileSync(file, 'utf8')
  const table = valuesTable(valueRows(readFileSync(join(CHART, 'values.yaml'), 'utf8')))
  const [before = '', after = ''] = [
    /^[\s\S]*<!-- values: .* -->\n/.exec(text)?.[0],
    /\n<!-- \/values -->[\s\S]*$/.exec(text)?.[0],
  ]
  const right = `${before}${table}${after}`
  if (process.env.UPDATE_GOLDEN) writeFileSync(file, right)
  expect(readFileSync(file, 'utf8')).toBe(right)
})

test('a value without a sentence is noticed, unless a map that has one holds it', () => {
  expect(() => valueRows('a: 1\n')).toThrow('a has no sentence.')
  expect(() => valueRows('a:\n  # -- One.\n  b: 1\n  c: 2\n')).toThrow('a.c has no sentence.')
  const rows = valueRows('# -- All.\na:\n  b: {c: 1}\n# -- Text|bar.\nd: "x|y"\n')
  expect(rows).toEqual([
    { path: 'a', default: '{"b":{"c":1}}', meaning: 'All.' },
    { path: 'd', default: '"x|y"', meaning: 'Text|bar.' },
  ])
  expect(valuesTable(rows)).toEndWith('| `d` | `"x\\|y"` | Text\\|bar. |')
})

/** NOTES.txt, as an installation that can't reach a cluster prints it. */
function notes(values: Values): string {
  const words = ['install', 'keyward', CHART, '--namespace', 'kw', '--dry-run=client', '--values', '-']
  const result = helm('helm 4', words, JSON.stringify({ host, ...values }))
  if (!result.ok) throw new Error(result.error)
  return result.text.slice(result.text.indexOf('\nNOTES:'))
}

test('38. NOTES say what to do next: address, first account, backup of SERVER_SECRET', () => {
  const text = notes({})
  expect(text).toContain(`at https://${host}`)
  expect(text).toContain(
    `echo "https://${host}/#setup_token=$(kubectl --namespace kw get secret keyward-secrets`,
  )
  expect(text).toContain('BACK UP SERVER_SECRET')
  expect(text).toContain(
    `'go-template={{index .data "SERVER_SECRET" | base64decode}}' > keyward-SERVER_SECRET`,
  )
  expect(text).toContain('helm test keyward --namespace kw')
})

test('NOTES say that secrets were generated without a look into the cluster, and nothing of it where none were', () => {
  expect(notes({})).toContain("A renderer that can't read the cluster")
  expect(notes({})).toContain(
    'DATABASE_PASSWORD, REDIS_PASSWORD, SECRET_KEY, SERVER_SECRET, SETUP_TOKEN were generated',
  )
  expect(notes(existing)).not.toContain('generated')
})

test('NOTES follow the values', () => {
  expect(notes({ setup: { open: true } })).toContain('whoever is first becomes the Owner')
  expect(notes({ setup: { open: true } })).not.toContain('setup_token')
  expect(notes({})).toContain('nothing outside the cluster leads here yet')
  for (const type of ['LoadBalancer', 'NodePort'])
    expect(notes({ backend: { service: { type } } })).not.toContain('nothing outside the cluster')
  expect(notes({ ingress: { enabled: true } })).not.toContain('nothing outside the cluster')
  expect(notes({ passwordAuth: { enabled: false } })).toContain('nobody can sign in')
  const own = { secrets: { serverSecret: { existingSecret: 'vault', key: 'ss' } } }
  expect(notes(own)).toContain(`get secret vault --output 'go-template={{index .data "ss"`)
})

test('38. helm test asks backend and frontend by the program itself', () => {
  const pod = one(render(existing), 'Pod', 'keyward-test')
  expect(pod.metadata.annotations).toEqual({
    'helm.sh/hook': 'test',
    'helm.sh/hook-delete-policy': 'before-hook-creation,hook-succeeded',
  })
  expect(pod.spec.containers.map((container: Manifest) => container.args)).toEqual([
    ['health', 'http://keyward-backend:80/service/ready/', '--timeout', '30'],
    ['health', 'http://keyward-frontend:80/api/health', '--timeout', '30'],
  ])
})

test.each(versions)('%s leaves the only hook out of what is to be applied', (version) => {
  const objects = render(existing, { helm: version, arguments: ['--skip-tests'] })
  expect(objects.filter((object) => object.metadata.annotations?.['helm.sh/hook'])).toEqual([])
})

test('the commands for GitOps are those of the README, which the cluster tier runs', () => {
  const [own, tested] = ['README.md', '../README.md'].map(
    (file) => /^#+ GitOps\n.*?```sh\n(.*?)```/ms.exec(readFileSync(join(CHART, file), 'utf8'))?.[1],
  )
  expect(own).toBe(tested)
  expect(own).toMatch(/^helm template .* --skip-tests /m)
})

test.each(versions)('40. %s packages the chart, and the package installs like the folder', (version) => {
  const folder = mkdtempSync(join(tmpdir(), 'keyward-package-'))
  expect(helm(version, ['package', CHART, '--destination', folder])).toMatchObject({ ok: true })
  const archive = join(folder, `keyward-${packageJson.version}.tgz`)
  expect(existsSync(archive)).toBe(true)
  const words = ['--namespace', 'kw', '--set', `host=${host},secrets.existingSecret=mine`]
  const of = (chart: string) => helm(version, ['template', 'keyward', chart, ...words]).text
  expect(of(archive)).toBe(of(CHART))
  expect(of(archive)).toContain('kind: Deployment')
})

test('40. the README tells how the package is pushed to an OCI registry, signed, and checked before it is installed', () => {
  const text = readFileSync(join(CHART, 'README.md'), 'utf8')
  for (const words of [
    'helm push keyward-',
    'oci://',
    'cosign sign ',
    'cosign verify ',
    'helm package --sign',
  ]) {
    expect(text).toContain(words)
  }
})
