import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { YAML } from 'bun'

export const CHART = join(import.meta.dir, '../../chart')

/** The two versions that the chart is for, as the programs that were found. */
export const HELMS = {
  'helm 4': process.env.KEYWARD_TEST_HELM || 'helm',
  'helm 3': process.env.KEYWARD_TEST_HELM3 || 'helm3',
} as const

export type HelmVersion = keyof typeof HELMS

/** An object of Kubernetes as the tests look at it: any path may be asked for. */
export type Values = Record<string, unknown>

// biome-ignore lint/suspicious/noExplicitAny: manifests are asserted on, path by path
export type Manifest = any

export type Options = { helm?: HelmVersion; release?: string; namespace?: string; arguments?: string[] }

export const host = 'keyward.example.org'

/** What Helm prints for these values, on standard output and error alike. */
export function helm(version: HelmVersion, words: string[], input = '') {
  const result = spawnSync(HELMS[version], words, { input, encoding: 'utf8', maxBuffer: 1 << 26 })
  if (result.error) throw result.error
  return { ok: result.status === 0, text: result.stdout, error: result.stderr }
}

/** The chart rendered with these values, as text. Throws what Helm says when it refuses. */
export function renderText(values: Values, options: Options = {}): string {
  const words = ['template', options.release ?? 'keyward', CHART, '--namespace', options.namespace ?? 'kw']
  const all = [...words, '--values', '-', ...(options.arguments ?? [])]
  const result = helm(options.helm ?? 'helm 4', all, JSON.stringify(values))
  if (!result.ok) throw new Error(result.error)
  return result.text
}

/** The objects of the chart rendered with these values beside a host. */
export function render(values: Values = {}, options: Options = {}): Manifest[] {
  return parse(renderText({ host, ...values }, options))
}

/** Every document of a YAML text that isn't empty. */
export function parse(text: string): Manifest[] {
  return text
    .split(/^---$/m)
    .map((document) => YAML.parse(document))
    .filter((document) => document !== null && document !== undefined)
}

/** What Helm says when it refuses these values; throws when it doesn't. */
export function refusal(values: Values, version: HelmVersion = 'helm 4'): string {
  const words = ['template', 'keyward', CHART, '--namespace', 'kw', '--values', '-']
  const result = helm(version, words, JSON.stringify(values))
  if (result.ok) throw new Error('Helm rendered what it should have refused.')
  return result.error
}

/** The one object of a kind and name. */
export function one(objects: Manifest[], kind: string, name: string): Manifest {
  const found = objects.filter((object) => object.kind === kind && object.metadata.name === name)
  if (found.length !== 1) throw new Error(`${found.length} objects are a ${kind} called ${name}.`)
  return found[0]
}

export const ofKind = (objects: Manifest[], kind: string): Manifest[] =>
  objects.filter((object) => object.kind === kind)

/** The three Deployments by component. */
export function deployments(objects: Manifest[]): Record<'backend' | 'frontend' | 'worker', Manifest> {
  const of = (component: string) =>
    ofKind(objects, 'Deployment').find(
      (object) => object.metadata.labels['app.kubernetes.io/component'] === component,
    )
  return { backend: of('backend'), frontend: of('frontend'), worker: of('worker') }
}

/** The templates of the pods that objects make. */
export const podTemplates = (objects: Manifest[]): Manifest[] =>
  objects.flatMap((object) => object.spec?.template ?? [])

/** The pods of every object that makes some, by the object's kind and name. */
export function pods(objects: Manifest[]): [string, Manifest][] {
  return objects.flatMap((object): [string, Manifest][] => {
    const label = `${object.kind} ${object.metadata.name}`
    if (object.kind === 'Pod') return [[label, object.spec]]
    return object.spec?.template?.spec ? [[label, object.spec.template.spec]] : []
  })
}

export const containersOf = (pod: Manifest): Manifest[] => [...(pod.initContainers ?? []), ...pod.containers]

/** The configuration of a component as its ConfigMap has it. */
export const configOf = (objects: Manifest[], component: string, fullname = 'keyward') =>
  one(objects, 'ConfigMap', `${fullname}-${component}`).data as Record<string, string>

/** The annotations of a component's pods that decide whether they restart. */
export function checksums(objects: Manifest[]): Record<string, unknown> {
  const all = Object.entries(deployments(objects))
  return Object.fromEntries(all.map(([name, object]) => [name, object.spec.template]))
}

/** Which of the three components' pods differ between two renders. */
export function restarted(before: Manifest[], after: Manifest[]): string[] {
  const [old, young] = [checksums(before), checksums(after)]
  return Object.keys(old).filter((name) => JSON.stringify(old[name]) !== JSON.stringify(young[name]))
}

/** The names of the secrets that a pod finds as files. */
export function mountedSecrets(pod: Manifest): string[] {
  const volume = pod.volumes?.find((candidate: Manifest) => candidate.name === 'secrets')
  const sources: Manifest[] = volume?.projected.sources ?? []
  return sources.flatMap((source) => source.secret.items.map((item: Manifest) => item.path)).sort()
}

/** Every secret from one Secret of the user's, so that nothing is random. */
export const existing = { secrets: { existingSecret: 'mine' } }
