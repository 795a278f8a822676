import { describe, expect, test } from 'bun:test'
import { readConfig } from '../../src/config.ts'
import { isAllowedHost } from '../../src/platform/http/hosts.ts'
import {
  configOf,
  deployments,
  existing,
  type Manifest,
  one,
  refusal,
  render,
  restarted,
  type Values,
} from './helm.ts'

const COMPONENTS = ['backend', 'frontend', 'worker'] as const

describe('a change restarts what needs it', () => {
  const before = render(existing)
  test.each<[string, Values, string[]]>([
    ['host', { host: 'other.example.org' }, ['backend', 'frontend', 'worker']],
    ['extraHosts', { extraHosts: ['a.example.org'] }, ['backend', 'frontend', 'worker']],
    ['extraOrigins', { extraOrigins: ['https://a.example.org'] }, ['backend', 'frontend', 'worker']],
    ['logLevel', { logLevel: 'debug' }, ['backend', 'frontend', 'worker']],
    ['restartToken', { restartToken: '2' }, ['backend', 'frontend', 'worker']],
    ['passwordAuth.enabled', { passwordAuth: { enabled: false } }, ['backend', 'frontend']],
    ['trustedProxies', { trustedProxies: ['10.0.0.0/8'] }, ['backend', 'frontend']],
    ['smtp', { smtp: { host: 'mail', from: 'k@example.org' } }, ['backend', 'worker']],
    ['plan', { plan: 'free' }, ['backend', 'worker']],
    ['redis', { redis: { enabled: false } }, ['backend', 'worker']],
    ['auditRetentionDays', { auditRetentionDays: 90 }, ['worker']],
    ['registration', { registration: 'invite' }, ['backend']],
    ['requireSecondFactor', { requireSecondFactor: 'admins' }, ['backend']],
    ['rateLimits', { rateLimits: { auth: '3/min' } }, ['backend']],
    ['extraEnv of one', { worker: { extraEnv: [{ name: 'TZ', value: 'UTC' }] } }, ['worker']],
    ['replicas', { backend: { replicas: 3 } }, []],
    ['labels of all objects and pods', { commonLabels: { team: 'a' } }, ['backend', 'frontend', 'worker']],
    ['annotations of all objects', { commonAnnotations: { a: 'b' } }, []],
    ['networkPolicy', { networkPolicy: { enabled: false }, pdb: undefined }, []],
  ])('%s', (_, values, expected) => {
    expect(restarted(before, render({ ...existing, ...values }))).toEqual(expected)
  })

  test('a value given for a password of the mail gateway, without the password showing', () => {
    const smtp = (value: string) =>
      render({
        ...existing,
        smtp: { host: 'mail', from: 'k@example.org', user: 'k', password: { value } },
      })
    expect(restarted(smtp('one'), smtp('two'))).toEqual(['backend', 'worker'])
  })

  test('a certificate authority given as text', () => {
    const database = (pem: string) =>
      render({
        ...existing,
        postgres: { enabled: false },
        externalDatabase: { host: 'db', ca: { pem } },
      })
    expect(restarted(database('one'), database('two'))).toEqual(['backend', 'worker'])
  })

  test("Reloader watches Secrets and authorities of one's own, and nothing that restarts what needs it already", () => {
    const objects = render({
      reloader: { enabled: true },
      postgres: { enabled: false },
      externalDatabase: { host: 'db', ca: { existingConfigMap: 'company-ca' } },
      secrets: { databasePassword: { value: 'p' } },
      smtp: { host: 'mail', from: 'k@example.org', ca: { existingConfigMap: 'company-ca' } },
    })
    const secrets = { 'secret.reloader.stakater.com/auto': 'true' }
    const all = { ...secrets, 'configmap.reloader.stakater.com/reload': 'company-ca' }
    const { backend, frontend, worker } = deployments(objects)
    expect(backend.metadata.annotations).toEqual(all)
    expect(worker.metadata.annotations).toEqual(all)
    expect(frontend.metadata.annotations).toEqual(secrets)
    const { metadata } = one(objects, 'Secret', 'keyward-provided')
    expect(metadata.annotations).toEqual({ 'reloader.stakater.com/ignore': 'true' })
  })
})

describe('one host gives HOST, ALLOWED_HOSTS and ALLOWED_ORIGINS to the three components', () => {
  test.each([
    ['keyward.example.org', 'keyward.example.org', 'https://keyward.example.org'],
    ['keyward.example.org:8443', 'keyward.example.org', 'https://keyward.example.org:8443'],
    ['http://keyward.example.org', 'keyward.example.org', 'http://keyward.example.org'],
    ['HTTPS://Keyward.Example.Org/', 'keyward.example.org', 'https://keyward.example.org'],
    ['localhost:8080', 'localhost', 'http://localhost:8080'],
    ['[::1]:8080', '[::1]', 'http://[::1]:8080'],
    ['10.1.2.3', '10.1.2.3', 'https://10.1.2.3'],
  ])('%s', (host, name, origin) => {
    const objects = render({ ...existing, host })
    for (const component of COMPONENTS) {
      const config = configOf(objects, component)
      expect(config.HOST).toBe(host)
      expect(config.ALLOWED_HOSTS?.split(',')[0]).toBe(name)
      expect(config.ALLOWED_ORIGINS).toBe(origin)
    }
    // The program itself takes them, and derives the same.
    const { HOST, ALLOWED_HOSTS, ALLOWED_ORIGINS } = configOf(objects, 'frontend')
    const config = readConfig('frontend', { HOST, ALLOWED_HOSTS, ALLOWED_ORIGINS })
    expect(config).toMatchObject({ host: name, origin, allowedOrigins: [origin] })
  })

  test('Ingress and HTTPRoute have no host of their own', () => {
    expect(refusal({ host: 'a', ingress: { host: 'b' } })).toContain(
      "additional properties 'host' not allowed",
    )
    expect(refusal({ host: 'a', httpRoute: { hostnames: ['b'] } })).toContain("'hostnames' not allowed")
  })

  test('extra hosts and origins come beside it', () => {
    const objects = render({
      extraHosts: ['a.example.org', '.b.example.org'],
      extraOrigins: ['https://c.example.org'],
    })
    for (const component of COMPONENTS) {
      const config = configOf(objects, component)
      expect(config.ALLOWED_HOSTS).toStartWith('keyward.example.org,a.example.org,.b.example.org,')
      expect(config.ALLOWED_ORIGINS).toBe('https://keyward.example.org,https://c.example.org')
    }
  })
})

test("ALLOWED_HOSTS covers the Services' names, and probes ask where any Host is answered", () => {
  const objects = render({ ...existing, clusterDomain: 'corp.local' })
  const { HOST, ALLOWED_HOSTS, ALLOWED_ORIGINS } = configOf(objects, 'frontend')
  const config = readConfig('frontend', { HOST, ALLOWED_HOSTS, ALLOWED_ORIGINS })
  for (const service of ['keyward-backend', 'keyward-frontend']) {
    expect(one(objects, 'Service', service)).toBeDefined()
    for (const suffix of ['', '.kw', '.kw.svc', '.kw.svc.corp.local']) {
      expect(isAllowedHost(config, `${service}${suffix}:80`)).toBe(true)
    }
  }
  const anyHost = /^\/(service\/(health|ready)|api\/health)\/?$/
  for (const deployment of Object.values(deployments(objects))) {
    const [container] = deployment.spec.template.spec.containers
    for (const probe of [container.startupProbe, container.livenessProbe, container.readinessProbe]) {
      const named = probe.httpGet.httpHeaders?.find((header: Manifest) => header.name === 'Host')?.value
      expect(named === undefined ? anyHost.test(probe.httpGet.path) : isAllowedHost(config, named)).toBe(true)
    }
  }
})

test('TRUSTED_PROXIES is private where something routes to Keyward, unless it is given', () => {
  const parentRefs = [{ name: 'public' }]
  const of = (values: Values) => configOf(render({ ...existing, ...values }), 'backend').TRUSTED_PROXIES
  expect(of({})).toBeUndefined()
  expect(of({ ingress: { enabled: true } })).toBe('private')
  expect(of({ httpRoute: { enabled: true, parentRefs } })).toBe('private')
  expect(of({ ingress: { enabled: true }, trustedProxies: ['10.0.0.0/8', 'fd00::/8'] })).toBe(
    '10.0.0.0/8,fd00::/8',
  )
})

test('passwordAuth, single sign-on, mail, plan and limits reach the components that read them', () => {
  const objects = render({
    passwordAuth: { enabled: false },
    sso: {
      providers: [
        { name: 'github', clientId: 'one', clientSecret: { value: 's' } },
        {
          name: 'entra-id',
          clientId: 'two',
          clientSecret: { existingSecret: 'entra', key: 'secret' },
          issuer: 'https://id.example.org/tenant',
          displayName: 'Example',
          scopes: ['openid', 'email'],
        },
      ],
      ca: { pem: 'PEM TEXT' },
    },
    allowedEmailDomains: ['example.org', '.example.com'],
    smtp: {
      host: 'mail',
      port: 2525,
      from: 'k@example.org',
      user: 'k',
      password: { value: 'p' },
      tls: 'tls',
    },
    plan: 'pro',
  })
  for (const component of ['backend', 'frontend']) {
    expect(configOf(objects, component)).toMatchObject({
      ENABLE_PASSWORD_AUTH: 'false',
      SSO_PROVIDERS: 'github,entra-id',
      NEXT_PUBLIC_NEXTAUTH_PROVIDERS: 'github,entra-id',
      GITHUB_CLIENT_ID: 'one',
      GITHUB_CLIENT_SECRET_FILE: '/run/secrets/keyward/GITHUB_CLIENT_SECRET',
      ENTRA_ID_CLIENT_ID: 'two',
      ENTRA_ID_CLIENT_SECRET_FILE: '/run/secrets/keyward/ENTRA_ID_CLIENT_SECRET',
      ENTRA_ID_ISSUER: 'https://id.example.org/tenant',
      ENTRA_ID_DISPLAY_NAME: 'Example',
      ENTRA_ID_SCOPES: 'openid email',
      SSO_ALLOW_HTTP_ISSUERS: 'false',
    })
  }
  expect(configOf(objects, 'backend')).toMatchObject({
    SSO_CA: '/etc/keyward/ca/sso.pem',
    ALLOWED_EMAIL_DOMAINS: 'example.org,.example.com',
  })
  expect(one(objects, 'ConfigMap', 'keyward-ca').data['sso.pem']).toBe('PEM TEXT')
  const mail = {
    SMTP_HOST: 'mail',
    SMTP_PORT: '2525',
    SMTP_FROM: 'k@example.org',
    SMTP_USER: 'k',
    SMTP_TLS: 'tls',
  }
  for (const component of ['backend', 'worker']) {
    expect(configOf(objects, component)).toMatchObject({ ...mail, ORGANISATION_PLAN: 'pro' })
  }
  expect(configOf(objects, 'worker').SSO_PROVIDERS).toBeUndefined()
})
