import { expect, test } from 'bun:test'
import { CHART, existing, helm, host, type Values } from './helm.ts'

/** NOTES.txt, as an installation that can't reach a cluster prints it. */
function notes(values: Values): string {
  const words = ['install', 'keyward', CHART, '--namespace', 'kw', '--dry-run=client', '--values', '-']
  const result = helm('helm 4', words, JSON.stringify({ host, ...values }))
  if (!result.ok) throw new Error(result.error)
  return result.text.slice(result.text.indexOf('\nNOTES:'))
}

test('NOTES say what to do next: address, first account, backup of SERVER_SECRET', () => {
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
  const providers = [{ name: 'github', clientId: 'id', clientSecret: { value: 'secret' } }]
  const sso = notes({ passwordAuth: { enabled: false }, sso: { providers } })
  expect(sso).toContain(`https://${host}/service/auth/sso/github/callback/`)
  expect(sso).not.toContain('nobody can sign in')
  const own = { secrets: { serverSecret: { existingSecret: 'vault', key: 'ss' } } }
  expect(notes(own)).toContain(`get secret vault --output 'go-template={{index .data "ss"`)
})
