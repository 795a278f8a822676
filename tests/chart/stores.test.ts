import { describe, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  configOf,
  deployments,
  existing,
  type Manifest,
  ofKind,
  one,
  pods,
  render,
  type Values,
} from './helm.ts'

const external: Values = {
  secrets: { existingSecret: 'mine' },
  postgres: { enabled: false },
  externalDatabase: {
    host: 'db.example.org',
    sslMode: 'verify-full',
    ca: { existingConfigMap: 'ca', key: 'db.crt' },
  },
  redis: { enabled: false },
  externalRedis: { host: 'redis.example.org', port: 6380, tls: true, ca: { existingSecret: 'redis-tls' } },
  smtp: {
    host: 'mail.example.org',
    from: 'k@example.org',
    fromName: 'Example “Keys”',
    subjectPrefix: '[Keys]',
    ca: { pem: 'PEM TEXT' },
  },
}

test('TLS to the database, Redis and the mail gateway checks a certificate authority that is mounted', () => {
  const objects = render(external)
  expect(ofKind(objects, 'StatefulSet')).toEqual([])
  for (const component of ['backend', 'worker'] as const) {
    expect(configOf(objects, component)).toMatchObject({
      DATABASE_HOST: 'db.example.org',
      DATABASE_SSLMODE: 'verify-full',
      DATABASE_SSL_CA: '/etc/keyward/ca/database.pem',
      REDIS_TLS: 'true',
      REDIS_TLS_CA: '/etc/keyward/ca/redis.pem',
      SMTP_FROM_NAME: 'Example “Keys”',
      MAIL_SUBJECT_PREFIX: '[Keys]',
      SMTP_CA: '/etc/keyward/ca/smtp.pem',
    })
    const pod = deployments(objects)[component].spec.template.spec
    const volume = pod.volumes.find((candidate: Manifest) => candidate.name === 'ca')
    expect(volume.projected.sources).toEqual([
      { configMap: { name: 'ca', items: [{ key: 'db.crt', path: 'database.pem' }] } },
      { secret: { name: 'redis-tls', items: [{ key: 'ca.crt', path: 'redis.pem' }] } },
      { configMap: { name: 'keyward-ca', items: [{ key: 'smtp.pem', path: 'smtp.pem' }] } },
    ])
    for (const container of [...pod.initContainers, ...pod.containers]) {
      expect(container.volumeMounts).toContainEqual({
        name: 'ca',
        mountPath: '/etc/keyward/ca',
        readOnly: true,
      })
    }
  }
  expect(one(objects, 'ConfigMap', 'keyward-ca').data).toEqual({ 'smtp.pem': 'PEM TEXT' })
  const migration = ofKind(objects, 'Job')[0].spec.template.spec.volumes
  const sources = migration.find((candidate: Manifest) => candidate.name === 'ca').projected.sources
  expect(sources).toEqual([{ configMap: { name: 'ca', items: [{ key: 'db.crt', path: 'database.pem' }] } }])
})

describe('the bundled Redis', () => {
  const redis = one(render(existing), 'StatefulSet', 'keyward-redis').spec.template.spec
  const [container] = redis.containers

  /** The container's own script, run with its paths in a folder and a stand-in for the server. */
  function start(password: string) {
    const folder = mkdtempSync(join(tmpdir(), 'keyward-redis-'))
    writeFileSync(join(folder, 'password'), password)
    const script = (container.command[2] as string)
      .replaceAll('/run/secrets/keyward/REDIS_PASSWORD', `${folder}/password`)
      .replaceAll('/run/redis/', `${folder}/`)
      .replace('exec redis-server', 'exec echo started with')
    const result = spawnSync('sh', ['-ec', script], { encoding: 'utf8' })
    return { ...result, configuration: () => readFileSync(join(folder, 'redis.conf'), 'utf8') }
  }

  test('requires its password, and has it in no argument and no environment', () => {
    const { status, stdout, configuration } = start('5ec12e7')
    expect(status).toBe(0)
    expect(configuration()).toContain('requirepass "5ec12e7"')
    expect(stdout).not.toContain('5ec12e7')
    expect(container.env).toBeUndefined()
    expect(JSON.stringify(container.command)).not.toContain('$(REDIS_PASSWORD)')
  })

  test('takes a password with quotation marks and backslashes as it is', () => {
    expect(start('a"b\\c').configuration()).toContain('requirepass "a\\"b\\\\c"')
  })

  test('does not start without a password', () => {
    const { status, stderr } = start('')
    expect(status).toBe(1)
    expect(stderr).toBe('REDIS_PASSWORD is empty.\n')
  })

  test('keeps its data: on a volume, written down as they come', () => {
    const { spec } = one(render(existing), 'StatefulSet', 'keyward-redis')
    expect(start('x').configuration()).toContain('dir /data\nappendonly yes')
    expect(container.volumeMounts).toContainEqual({ name: 'data', mountPath: '/data' })
    expect(spec.volumeClaimTemplates[0].metadata.name).toBe('data')
    expect(spec.persistentVolumeClaimRetentionPolicy).toEqual({ whenDeleted: 'Retain', whenScaled: 'Retain' })
  })
})

test('the bundled PostgreSQL starts in the official image: its own user, a folder below the mount, UTF-8', () => {
  const { spec } = one(render(existing), 'StatefulSet', 'keyward-postgres')
  const pod = spec.template.spec
  const [container] = pod.containers
  expect(pod.securityContext).toMatchObject({ runAsUser: 999, runAsGroup: 999, fsGroup: 999 })
  expect(container.image).toBe('docker.io/library/postgres:18.4')
  const env = Object.fromEntries(container.env.map((entry: Manifest) => [entry.name, entry.value]))
  expect(env).toEqual({
    POSTGRES_USER: 'keyward',
    POSTGRES_DB: 'keyward',
    POSTGRES_PASSWORD_FILE: '/run/secrets/keyward/DATABASE_PASSWORD',
    POSTGRES_INITDB_ARGS: '--encoding=UTF8 --locale=C.UTF-8',
    PGDATA: '/var/lib/postgresql/pgdata',
  })
  const paths = container.volumeMounts.map((mount: Manifest) => mount.mountPath)
  expect(paths).toEqual(['/var/lib/postgresql', '/var/run/postgresql', '/tmp', '/run/secrets/keyward'])
  expect(JSON.stringify(spec.volumeClaimTemplates)).not.toContain('helm.sh/chart')
})

describe('a store that is still reading its data is alive, but not ready', () => {
  const folder = mkdtempSync(join(tmpdir(), 'keyward-probes-'))

  /** Which probes of a store succeed where the program that they ask with is this script. */
  function succeeding(store: string, program: string, script: string): string[] {
    const { template } = one(render(existing), 'StatefulSet', `keyward-${store}`).spec
    writeFileSync(join(folder, program), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
    const env = { PATH: `${folder}:${process.env.PATH}` }
    return ['startup', 'liveness', 'readiness'].filter((kind) => {
      const [command, ...words] = template.spec.containers[0][`${kind}Probe`].exec.command
      return spawnSync(command, words, { env }).status === 0
    })
  }

  // By TCP, because the server answers on its socket while its data is being made.
  test.each<[string, string[]]>([
    ['accepts connections: 0', ['startup', 'liveness', 'readiness']],
    ['recovers after a crash: 1', ['startup', 'liveness']],
    ['does not answer: 2', []],
    ['was asked wrongly: 3', []],
  ])('PostgreSQL %s', (answer, expected) => {
    const script = `case "$*" in *--host=127.0.0.1*) exit ${answer.at(-1)};; esac; exit 9`
    expect(succeeding('postgres', 'pg_isready', script)).toEqual(expected)
  })

  test.each<[string, string[]]>([
    ['PONG', ['startup', 'liveness', 'readiness']],
    ['LOADING Redis is loading the dataset in memory', ['startup', 'liveness']],
    ['NOAUTH Authentication required.', []],
  ])('Redis %s', (answer, expected) => {
    expect(succeeding('redis', 'redis-cli', `echo '${answer}'`)).toEqual(expected)
  })
})

describe('NetworkPolicies limit what each pod may reach', () => {
  const policy = (objects: Manifest[], name: string) => one(objects, 'NetworkPolicy', `keyward-${name}`).spec
  const ports = (rules: Manifest[]) =>
    rules.flatMap((rule) => rule.ports.map((port: Manifest) => `${port.protocol} ${port.port}`))
  // The second one is where the DNS pods of OpenShift listen: what counts is the port behind the Service.
  const dns = ['UDP 53', 'TCP 53', 'UDP 5353', 'TCP 5353']

  test('every pod is selected by one, for both directions', () => {
    const objects = render(existing)
    const policies = ofKind(objects, 'NetworkPolicy')
    for (const { spec } of policies) expect(spec.policyTypes).toEqual(['Ingress', 'Egress'])
    const selected = policies
      .map(({ spec }) => spec.podSelector.matchLabels['app.kubernetes.io/component'])
      .sort()
    expect(selected).toEqual(['backend', 'frontend', 'migrate', 'postgres', 'redis', 'test', 'worker'])
    expect(pods(objects)).toHaveLength(selected.length)
  })

  test('with the bundled stores nothing reaches beyond the release but DNS', () => {
    const objects = render(existing)
    const stores = [...dns, 'TCP 5432', 'TCP 6379']
    expect(ports(policy(objects, 'backend').egress)).toEqual(stores)
    expect(ports(policy(objects, 'worker').egress)).toEqual(stores)
    expect(ports(policy(objects, 'migrate').egress)).toEqual([...dns, 'TCP 5432'])
    expect(ports(policy(objects, 'frontend').egress)).toEqual([...dns, 'TCP 8080'])
    expect(policy(objects, 'postgres')).not.toHaveProperty('egress')
    expect(policy(objects, 'redis')).not.toHaveProperty('egress')
    expect(policy(objects, 'worker')).not.toHaveProperty('ingress')
    for (const name of ['backend', 'worker', 'migrate', 'frontend', 'test']) {
      for (const rule of policy(objects, name).egress.slice(1)) expect(rule.to[0].podSelector).toBeDefined()
    }
  })

  test('external stores are reached on their ports, at the peers that are named', () => {
    const peers = [{ ipBlock: { cidr: '10.0.0.0/8' } }]
    const objects = render({
      ...external,
      networkPolicy: { stores: peers, dns: [{ namespaceSelector: {} }] },
    })
    expect(ports(policy(objects, 'backend').egress)).toEqual([...dns, 'TCP 5432', 'TCP 6380', 'TCP 587'])
    for (const rule of policy(objects, 'backend').egress.slice(1)) expect(rule.to).toEqual(peers)
    expect(policy(objects, 'backend').egress[0].to).toEqual([{ namespaceSelector: {} }])
  })

  test('the backend alone reaches the providers of single sign-on, on their ports, at the peers that are named', () => {
    const peers = [{ ipBlock: { cidr: '10.0.0.0/8' } }]
    const of = (name: string, issuer?: string) => ({
      name,
      issuer,
      clientId: 'id',
      clientSecret: { value: 'secret' },
    })
    const providers = [
      of('google'),
      of('keycloak', 'https://id.example.org:8443/realms/main'),
      of('idp', 'http://idp.example.org'),
      of('authelia', 'https://[fd00::1]'),
    ]
    const objects = render({
      ...existing,
      sso: { providers, allowHttpIssuers: true },
      networkPolicy: { identityProviders: peers },
    })
    const rule = policy(objects, 'backend').egress.at(-1)
    expect(ports([rule])).toEqual(['TCP 443', 'TCP 8443', 'TCP 80'])
    expect(rule.to).toEqual(peers)
    for (const name of ['frontend', 'worker', 'migrate']) {
      expect(ports(policy(objects, name).egress)).not.toContain('TCP 443')
    }
  })

  test('a rule of your own lets every pod of Keyward reach something else, such as a database behind another port', () => {
    const rule = { ports: [{ protocol: 'TCP', port: 6432 }], to: [{ ipBlock: { cidr: '10.0.0.0/8' } }] }
    const objects = render({ ...external, networkPolicy: { dnsPorts: [5300], extraEgress: [rule] } })
    const policies = ofKind(objects, 'NetworkPolicy')
    expect(policies).toHaveLength(5)
    for (const { spec } of policies) {
      expect(spec.egress).toContainEqual(rule)
      expect(ports(spec.egress.slice(0, 1))).toEqual(['UDP 5300', 'TCP 5300'])
    }
  })

  test('who may reach Keyward can be named, and its own pods still can', () => {
    const from = [{ namespaceSelector: { matchLabels: { name: 'traefik' } } }]
    const [rule] = policy(render({ ...existing, networkPolicy: { from } }), 'backend').ingress
    expect(rule.from[0]).toEqual(from[0])
    const own = rule.from
      .slice(1)
      .map((peer: Manifest) => peer.podSelector.matchLabels['app.kubernetes.io/component'])
    expect(own).toEqual(['frontend', 'test'])
  })

  test('KEDA reaches the bundled database from its namespace', () => {
    const objects = render({ ...existing, worker: { keda: { enabled: true, namespace: 'scalers' } } })
    const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': 'scalers' } }
    expect(policy(objects, 'postgres').ingress[1].from).toEqual([{ namespaceSelector }])
  })
})
