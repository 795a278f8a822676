import { spawn } from 'bun'
import { CHART, HELMS, type HelmVersion, type Manifest, parse, type Values } from './helm.ts'

/** Secrets of a cluster: name to keys and their values. */
export type Stored = Record<string, Record<string, string>>

/**
 * The chart rendered by a Helm that can look things up: its API server is a stand-in that has these Secrets and
 * nothing else.
 */
export async function renderWithLookup(values: Values, stored: Stored, version: HelmVersion = 'helm 4') {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: (request) => answer(request, stored) })
  try {
    const words = [
      'template',
      'keyward',
      CHART,
      '--namespace',
      'kw',
      '--dry-run=server',
      '--disable-openapi-validation',
    ]
    const target = ['--kube-apiserver', `http://127.0.0.1:${server.port}`, '--kubeconfig', '/dev/null']
    const child = spawn([HELMS[version], ...words, ...target, '--values', '-'], {
      stdin: new Blob([JSON.stringify(values)]),
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [text, error] = await Promise.all([child.stdout.text(), child.stderr.text()])
    if ((await child.exited) !== 0) throw new Error(error)
    return parse(text)
  } finally {
    await server.stop(true)
  }
}

/** What a Secret of a render holds, decoded. */
export function decoded(objects: Manifest[], name: string): Record<string, string> {
  const secret = objects.find((object) => object.kind === 'Secret' && object.metadata.name === name)
  if (!secret) throw new Error(`There is no Secret ${name}.`)
  const entries = Object.entries(secret.data as Record<string, string>)
  return Object.fromEntries(entries.map(([key, value]) => [key, atob(value)]))
}

function answer(request: Request, stored: Stored): Response {
  const { pathname } = new URL(request.url)
  if (pathname === '/version') {
    return Response.json({ major: '1', minor: '36', gitVersion: 'v1.36.0', platform: 'linux/amd64' })
  }
  if (pathname === '/api') return Response.json({ kind: 'APIVersions', versions: ['v1'] })
  if (pathname === '/apis') return Response.json({ kind: 'APIGroupList', apiVersion: 'v1', groups })
  const kinds = KINDS[pathname.replace(/^\/apis?\//, '')]
  if (kinds) return Response.json(resourceList(pathname.replace(/^\/apis?\//, ''), kinds))
  const name = /^\/api\/v1\/namespaces\/kw\/secrets\/([a-z0-9-]+)$/.exec(pathname)?.[1]
  const data = name === undefined ? undefined : stored[name]
  if (data === undefined) {
    const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound', code: 404 }
    return Response.json(status, { status: 404 })
  }
  const encoded = Object.fromEntries(Object.entries(data).map(([key, value]) => [key, btoa(value)]))
  return Response.json({ kind: 'Secret', apiVersion: 'v1', metadata: { name, ...owned }, data: encoded })
}

/** What Helm leaves on a Secret that outlives its release, and asks for before it takes it back. */
const owned = {
  namespace: 'kw',
  labels: { 'app.kubernetes.io/managed-by': 'Helm' },
  annotations: { 'meta.helm.sh/release-name': 'keyward', 'meta.helm.sh/release-namespace': 'kw' },
}

/** What the chart makes, by API: Helm looks up how each kind is called. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  v1: ['Secret', 'ConfigMap', 'Service', 'ServiceAccount', 'Pod'],
  'apps/v1': ['Deployment', 'StatefulSet'],
  'batch/v1': ['Job'],
  'networking.k8s.io/v1': ['NetworkPolicy'],
  'policy/v1': ['PodDisruptionBudget'],
}

const groups = Object.keys(KINDS)
  .filter((api) => api.includes('/'))
  .map((groupVersion) => {
    const [name, version] = groupVersion.split('/')
    return { name, versions: [{ groupVersion, version }], preferredVersion: { groupVersion, version } }
  })

function resourceList(groupVersion: string, kinds: readonly string[]) {
  const resources = kinds.map((kind) => {
    const singularName = kind.toLowerCase()
    const name = singularName.endsWith('y') ? `${singularName.slice(0, -1)}ies` : `${singularName}s`
    return { name, singularName, namespaced: true, kind, verbs: ['get', 'list'] }
  })
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources }
}
