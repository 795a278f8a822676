import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { Glob } from 'bun'
import { decoded, renderWithLookup } from './cluster-with-secrets.ts'
import {
  CHART,
  configOf,
  deployments,
  existing,
  HELMS,
  type HelmVersion,
  host,
  mountedSecrets,
  ofKind,
  one,
  pods,
  render,
  renderText,
} from './helm.ts'

const GENERATED = ['DATABASE_PASSWORD', 'REDIS_PASSWORD', 'SECRET_KEY', 'SERVER_SECRET', 'SETUP_TOKEN']
const versions = Object.keys(HELMS) as HelmVersion[]

describe.each(versions)('with %s', (version) => {
  test('the secrets are generated: 32 random bytes each, as 64 hexadecimal characters', async () => {
    const first = decoded(await renderWithLookup({ host }, {}, version), 'keyward-secrets')
    const second = decoded(await renderWithLookup({ host }, {}, version), 'keyward-secrets')
    expect(Object.keys(first).sort()).toEqual(GENERATED)
    const all = [...Object.values(first), ...Object.values(second)]
    for (const value of all) expect(value).toMatch(/^[0-9a-f]{64}$/)
    expect(new Set(all).size).toBe(10)
  })

  test('the secrets are kept: what is stored wins over a value, and a missing key is added', async () => {
    const stored = { SERVER_SECRET: 'a'.repeat(64), DATABASE_PASSWORD: 'as it was', SECRET_KEY: '' }
    const values = {
      host,
      secrets: { serverSecret: { value: 'b'.repeat(64) }, secretKey: { value: 'c'.repeat(64) } },
    }
    const after = decoded(
      await renderWithLookup(values, { 'keyward-secrets': stored }, version),
      'keyward-secrets',
    )
    expect(Object.keys(after).sort()).toEqual(GENERATED)
    expect(after).toMatchObject({
      SERVER_SECRET: 'a'.repeat(64),
      DATABASE_PASSWORD: 'as it was',
      SECRET_KEY: 'c'.repeat(64),
    })
  })

  test('a cluster that has all of the secrets gets the same ones back, byte for byte', async () => {
    const stored = {
      'keyward-secrets': Object.fromEntries(GENERATED.map((name) => [name, `${name} as stored`])),
    }
    const [first, second] = [
      await renderWithLookup({ host }, stored, version),
      await renderWithLookup({ host }, stored, version),
    ]
    expect(decoded(first, 'keyward-secrets')).toEqual(stored['keyward-secrets'])
    expect(first).toEqual(second)
  })
})

test('a password that is stored stays when the bundled database is given up for another', async () => {
  const stored = { 'keyward-secrets': { DATABASE_PASSWORD: 'opens the old volume' } }
  const values = {
    host,
    postgres: { enabled: false },
    externalDatabase: { host: 'db.example.org' },
    secrets: { databasePassword: { value: 'of the new one' } },
  }
  const objects = await renderWithLookup(values, stored)
  expect(decoded(objects, 'keyward-secrets').DATABASE_PASSWORD).toBe('opens the old volume')
  expect(decoded(objects, 'keyward-provided')).toEqual({ DATABASE_PASSWORD: 'of the new one' })
})

test('existingSecret and a map of keys: each secret can come from another Secret and key', () => {
  const names = { secretKey: 'SECRET_KEY', serverSecret: 'SERVER_SECRET', setupToken: 'SETUP_TOKEN' }
  const passwords = { databasePassword: 'DATABASE_PASSWORD', redisPassword: 'REDIS_PASSWORD' }
  const all = Object.entries({ ...names, ...passwords })
  const secrets = Object.fromEntries(
    all.map(([value]) => [value, { existingSecret: `of-${value.toLowerCase()}`, key: `the.${value}` }]),
  )
  const objects = render({ secrets })
  expect(ofKind(objects, 'Secret')).toEqual([])
  const volumes = deployments(objects).backend.spec.template.spec.volumes
  const sources = volumes.find((volume: { name: string }) => volume.name === 'secrets').projected.sources
  for (const [value, name] of all) {
    const items = [{ key: `the.${value}`, path: name }]
    expect(sources).toContainEqual({ secret: { name: `of-${value.toLowerCase()}`, items } })
  }
})

test('with existingSecret the render is deterministic', () => {
  expect(renderText({ host, ...existing })).toBe(renderText({ host, ...existing }))
  expect(ofKind(render(existing), 'Secret')).toEqual([])
})

test('without it nothing but the one Secret differs between two renders, no name and no checksum either', () => {
  const rest = () => render().filter((object) => object.kind !== 'Secret')
  expect(rest()).toEqual(rest())
  const templates = [...new Glob('**/*').scanSync(`${CHART}/templates`)]
  const random = templates.filter((file) =>
    /\brand[A-Z]|\bgen[A-Z]|uuidv4/.test(readFileSync(`${CHART}/templates/${file}`, 'utf8')),
  )
  expect(random).toEqual(['secrets.yaml'])
})

test('the Secret survives an uninstallation', () => {
  const secret = one(render(), 'Secret', 'keyward-secrets')
  expect(secret.metadata.annotations['helm.sh/resource-policy']).toBe('keep')
})

test('each component mounts its own secrets alone, as files', () => {
  const issuer = 'https://id.example.org'
  const sso = { providers: [{ name: 'entra-id', clientId: 'id', clientSecret: { value: 'secret' }, issuer }] }
  const objects = render({
    sso,
    smtp: { host: 'mail', from: 'k@example.org', user: 'k', password: { value: 'p' } },
  })
  const { backend, frontend, worker } = deployments(objects)
  const stores = ['DATABASE_PASSWORD', 'REDIS_PASSWORD', 'SECRET_KEY', 'SERVER_SECRET']
  expect(mountedSecrets(backend.spec.template.spec)).toEqual(
    [...stores, 'SETUP_TOKEN', 'SMTP_PASSWORD', 'ENTRA_ID_CLIENT_SECRET'].sort(),
  )
  expect(mountedSecrets(worker.spec.template.spec)).toEqual([...stores, 'SMTP_PASSWORD'])
  expect(mountedSecrets(frontend.spec.template.spec)).toEqual(['ENTRA_ID_CLIENT_SECRET'])
  expect(mountedSecrets(ofKind(objects, 'Job')[0].spec.template.spec)).toEqual(['DATABASE_PASSWORD'])
  for (const component of ['backend', 'frontend', 'worker', 'migrate']) {
    const pod = pods(objects).find(([label]) => label.includes(`keyward-${component}`))?.[1]
    const files = Object.entries(configOf(objects, component)).filter(([name]) => name.endsWith('_FILE'))
    expect(files.map(([name]) => name.replace(/_FILE$/, '')).sort()).toEqual(mountedSecrets(pod))
    for (const [name, path] of files) expect(path).toBe(`/run/secrets/keyward/${name.replace(/_FILE$/, '')}`)
  }
})

test('no secret is in an environment, an argument or a ConfigMap', () => {
  const value = '5ec12e7'
  const objects = render({
    secrets: { databasePassword: { value }, redisPassword: { value }, setupToken: { value } },
    smtp: { host: 'mail', from: 'k@example.org', user: 'k', password: { value } },
  })
  const rest = objects.filter((object) => object.kind !== 'Secret')
  expect(JSON.stringify(rest)).not.toContain(value)
  expect(JSON.stringify(rest)).not.toContain('secretRef')
  expect(JSON.stringify(rest)).not.toContain('secretKeyRef')
  expect(decoded(objects, 'keyward-provided')).toEqual({ SMTP_PASSWORD: value })
})

test('setup.open gives the backend no SETUP_TOKEN', () => {
  expect(configOf(render(), 'backend').SETUP_TOKEN_FILE).toBeDefined()
  const open = render({ setup: { open: true } })
  expect(configOf(open, 'backend').SETUP_TOKEN_FILE).toBeUndefined()
  expect(mountedSecrets(deployments(open).backend.spec.template.spec)).not.toContain('SETUP_TOKEN')
})
