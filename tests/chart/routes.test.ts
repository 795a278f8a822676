import { describe, expect, test } from 'bun:test'
import { existing, type Manifest, one, render } from './helm.ts'

const extraHosts = ['a.example.org:8443', '.b.example.org', '10.0.0.1', 'A.example.org']
const hosts = ['keyward.example.org', 'a.example.org', '*.b.example.org']
const backendPaths = ['/v1', '/service', '/public', '/swagger', '/api/auth/callback']

describe('the Ingress', () => {
  const ingress = (values = {}) =>
    one(render({ ...existing, extraHosts, ingress: { enabled: true, ...values } }), 'Ingress', 'keyward')

  test('routes by plain prefixes, with nothing that belongs to one controller', () => {
    const { metadata, spec } = ingress()
    expect(metadata.annotations).toBeUndefined()
    expect(spec.ingressClassName).toBeUndefined()
    expect(spec.rules.map((rule: Manifest) => rule.host)).toEqual(hosts)
    for (const rule of spec.rules) {
      const routes = rule.http.paths.map((path: Manifest) => [
        path.path,
        path.pathType,
        path.backend.service.name,
      ])
      expect(routes).toEqual([
        ...backendPaths.map((path) => [path, 'Prefix', 'keyward-backend']),
        ['/', 'Prefix', 'keyward-frontend'],
      ])
    }
  })

  test('takes a class, annotations and TLS', () => {
    const tls = { enabled: true }
    const { metadata, spec } = ingress({ className: 'traefik', annotations: { a: 'b' }, tls })
    expect(metadata.annotations).toEqual({ a: 'b' })
    expect(spec.ingressClassName).toBe('traefik')
    expect(spec.tls).toEqual([{ secretName: 'keyward-tls', hosts }])
  })
})

test('the HTTPRoute of the Gateway API has the same routes', () => {
  const parentRefs = [{ name: 'public', namespace: 'gateways', sectionName: 'https' }]
  const { spec } = one(
    render({ ...existing, extraHosts, httpRoute: { enabled: true, parentRefs } }),
    'HTTPRoute',
    'keyward',
  )
  expect(spec.parentRefs).toEqual(parentRefs)
  expect(spec.hostnames).toEqual(hosts)
  const paths = (rule: Manifest) => rule.matches.map((match: Manifest) => match.path)
  expect(paths(spec.rules[0])).toEqual(backendPaths.map((value) => ({ type: 'PathPrefix', value })))
  expect(spec.rules[0].backendRefs).toEqual([{ name: 'keyward-backend', port: 80 }])
  expect(paths(spec.rules[1])).toEqual([{ type: 'PathPrefix', value: '/' }])
  expect(spec.rules[1].backendRefs).toEqual([{ name: 'keyward-frontend', port: 80 }])
})

test('the Services lead to the pods of their component, under the type and port that are wanted', () => {
  const objects = render({
    ...existing,
    frontend: { service: { type: 'NodePort', port: 8081, nodePort: 30080 } },
  })
  expect(one(objects, 'Service', 'keyward-backend').spec).toMatchObject({
    type: 'ClusterIP',
    ports: [{ port: 80 }],
  })
  expect(one(objects, 'Service', 'keyward-frontend').spec).toMatchObject({
    type: 'NodePort',
    ports: [{ port: 8081, targetPort: 'http', nodePort: 30080 }],
  })
})
