import { expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import packageJson from '../../package.json' with { type: 'json' }
import { CHART, existing, HELMS, type HelmVersion, helm, host, type Manifest, one, render } from './helm.ts'

const versions = Object.keys(HELMS) as HelmVersion[]

test('helm test asks backend and frontend by the program itself', () => {
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

test.each(versions)('%s packages the chart, and the package installs like the folder', (version) => {
  const folder = mkdtempSync(join(tmpdir(), 'keyward-package-'))
  expect(helm(version, ['package', CHART, '--destination', folder])).toMatchObject({ ok: true })
  const archive = join(folder, `keyward-${packageJson.version}.tgz`)
  expect(existsSync(archive)).toBe(true)
  const words = ['--namespace', 'kw', '--set', `host=${host},secrets.existingSecret=mine`]
  const of = (chart: string) => helm(version, ['template', 'keyward', chart, ...words]).text
  expect(of(archive)).toBe(of(CHART))
  expect(of(archive)).toContain('kind: Deployment')
})

test('the package holds its pages, and nothing of the tests', () => {
  const folder = mkdtempSync(join(tmpdir(), 'keyward-package-'))
  helm('helm 4', ['package', CHART, '--destination', folder])
  const { stdout } = Bun.spawnSync(['tar', '-tzf', join(folder, `keyward-${packageJson.version}.tgz`)])
  const files = stdout.toString().split('\n')
  expect(files).toContain('keyward/README.md')
  expect(files).toContain('keyward/values.md')
  expect(files.filter((file) => /\/ci\/|kube-linter/.test(file))).toEqual([])
})

test('the README of the chart tells how the package is pushed to an OCI registry, signed, and checked before it is installed', () => {
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
