import type { Api, ConsoleUnderTest, Visitor } from './console-browser.ts'

/** An organisation that looks like a real one: for pictures of the console, and to try it by hand. */
export type SampleOrganisation = Readonly<{ ingrid: Visitor; ana: Visitor; ledger: string; robot: string }>

type Person = readonly [name: string, role: string, opens: number, joined: string, seen: string]

const PEOPLE: readonly Person[] = [
  ['Tomás Ferreira', 'Admin', 0, '2025-01-12', '12 minutes'],
  ['Mei-Ling Chou', 'Admin', 0, '2025-02-03', '1 hour'],
  ['Noor Haddad', 'Manager', 20, '2025-02-17', '1 day'],
  ['Ana Duarte', 'Developer', 18, '2025-03-03', '4 minutes'],
  ['Kwame Boateng', 'Developer', 9, '2025-03-03', '1 hour'],
  ['Priya Raman', 'Release manager', 21, '2025-04-29', '26 minutes'],
  ['Yusuf Demir', 'Release manager', 14, '2025-06-02', '3 hours'],
  ['Oskar Lindqvist', 'Developer', 6, '2025-06-16', '2 days'],
  ['Leila Farouk', 'Data analyst', 0, '2025-09-08', ''],
  ['Jonas Weber', 'Data analyst', 0, '2025-09-18', ''],
  ['Elif Kaya', 'Developer', 5, '2025-09-22', '1 day'],
  ['Camille Roux', 'Data analyst', 8, '2025-10-06', '9 days'],
  ['Bram de Wit', 'Data analyst', 12, '2025-10-20', '5 hours'],
  ['Sofia Marchetti', 'Developer', 11, '2025-11-03', '38 minutes'],
]

const APPS: readonly (readonly [name: string, environments?: readonly string[]])[] = [
  ['Billing'],
  ['Fleet gateway', ['Development', 'Staging', 'Production', 'eu-west', 'ap-south']],
  ['Identity'],
  ['Ledger'],
  ['Notifications'],
  ['Status page', ['Development', 'Production']],
  ['Storefront', ['Development', 'Staging', 'Production', 'preview']],
  ['Data / Catalogue'],
  ['Data / Notebooks'],
  ['Data / Pipeline'],
  ['Data / Warehouse'],
]

const ROLES = [
  {
    name: 'Release manager',
    color: '#A8662A',
    description: 'A Developer who also runs members and tokens.',
    permissions: {
      permissions: {
        Apps: ['read', 'update'],
        Members: ['create', 'read', 'update'],
        ServiceAccounts: ['read'],
        ServiceAccountTokens: ['create', 'read'],
        Roles: ['read'],
        Logs: ['read'],
      },
      app_permissions: { Environments: ['read', 'update'], Secrets: ['create', 'read', 'update', 'delete'] },
    },
  },
  {
    name: 'Data analyst',
    color: '#7A5AA8',
    description: 'Reads the secrets of apps that it was given.',
    permissions: {
      permissions: { Apps: ['read'], Members: ['read'] },
      app_permissions: { Environments: ['read'], Secrets: ['read'] },
    },
  },
]

type Secret = {
  key: string
  value: string
  path?: string
  tags?: string[]
  type?: 'secret' | 'sealed' | 'config'
}

/** The secrets of Ledger by environment: some are missing, some differ. */
const SECRETS: Readonly<Record<string, readonly Secret[]>> = {
  Development: [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference to other secrets
    { key: 'DATABASE_URL', value: 'postgres://${DB_USER}:${DB_PASSWORD}@${/db/HOST}/ledger', tags: ['db'] },
    { key: 'DB_PASSWORD', value: 'dev-only', tags: ['db', 'rotate'], type: 'sealed' },
    { key: 'DB_USER', value: 'ledger', tags: ['db'] },
    { key: 'LOG_LEVEL', value: 'debug', tags: ['config'], type: 'config' },
    { key: 'PAYOUT_LIMIT', value: '1000' },
    { key: 'SENTRY_DSN', value: 'https://errors.marlow.example/4', tags: ['ops'] },
    { key: 'STRIPE_KEY', value: 'rk-example-dev', tags: ['payments', 'rotate'] },
    { key: 'HOST', value: 'localhost', path: '/db', tags: ['db'] },
    { key: 'SENDER', value: 'ledger@marlow.example', path: '/mail' },
    { key: 'IBAN', value: 'EX00', path: '/payouts/eu', tags: ['payments'] },
  ],
  Staging: [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference to other secrets
    { key: 'DATABASE_URL', value: 'postgres://${DB_USER}:${DB_PASSWORD}@${/db/HOST}/ledger', tags: ['db'] },
    { key: 'DB_PASSWORD', value: 'staging-only', tags: ['db', 'rotate'], type: 'sealed' },
    { key: 'DB_USER', value: 'ledger', tags: ['db'] },
    { key: 'LOG_LEVEL', value: 'info', tags: ['config'], type: 'config' },
    { key: 'PAYOUT_LIMIT', value: '1000' },
    { key: 'SENTRY_DSN', value: 'https://errors.marlow.example/4', tags: ['ops'] },
    { key: 'STRIPE_KEY', value: 'rk-example-dev', tags: ['payments', 'rotate'] },
    { key: 'WEBHOOK_SIGNING_KEY', value: 'whsec-example', tags: ['payments'] },
    { key: 'HOST', value: 'db.staging.marlow.example', path: '/db', tags: ['db'] },
    { key: 'SENDER', value: 'ledger@marlow.example', path: '/mail' },
  ],
  Production: [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference to other secrets
    { key: 'DATABASE_URL', value: 'postgres://${DB_USER}:${DB_PASSWORD}@${/db/HOST}/ledger', tags: ['db'] },
    { key: 'DB_PASSWORD', value: 'production-only', tags: ['db', 'rotate'], type: 'sealed' },
    { key: 'DB_USER', value: 'ledger_app', tags: ['db'] },
    { key: 'LOG_LEVEL', value: 'info', tags: ['config'], type: 'config' },
    { key: 'PAYOUT_LIMIT', value: '25000' },
    { key: 'STRIPE_KEY', value: 'rk-example-9f2c-prod-eu-1', tags: ['payments', 'rotate'] },
    { key: 'HOST', value: 'db.marlow.example', path: '/db', tags: ['db'] },
    { key: 'SENDER', value: 'ledger@marlow.example', path: '/mail' },
    { key: 'IBAN', value: 'EX42', path: '/payouts/eu', tags: ['payments'] },
  ],
}

/** Makes the organisation through the API, as people would have made it. */
export async function sampleOrganisation(console: ConsoleUnderTest): Promise<SampleOrganisation> {
  const ingrid = await console.founder()
  const { api } = ingrid
  for (const role of ROLES) await api('POST', '/v1/roles', role)
  const apps = await makeApps(api)
  const ledger = apps.find(({ name }) => name === 'Ledger')
  if (ledger === undefined) throw new Error('there is no Ledger')
  for (const environment of ledger.environments) {
    const secrets = (SECRETS[environment.name] ?? []).map((secret) => ({ comment: '', ...secret }))
    await api('POST', `/v1/secrets?app_id=${ledger.id}&env=${environment.name}`, { secrets })
  }
  await joinedOn(console, ingrid.id, '2025-01-11')
  const visitors = new Map<string, Visitor>()
  for (const [name, role, opens, joined, seen] of PEOPLE) {
    const visitor = await console.person(name, role)
    visitors.set(name, visitor)
    if (opens > 0)
      await api('PUT', `/v1/members/${visitor.id}/access`, { apps: firstEnvironments(apps, opens) })
    await joinedOn(console, visitor.id, joined, seen)
  }
  const ana = visitors.get('Ana Duarte')
  if (ana === undefined) throw new Error('Ana is nobody')
  const robot = await makeMachines(api, apps)
  const { data: roles } = await api('GET', '/v1/roles')
  const developer = roles.find(({ name }: { name: string }) => name === 'Developer').id
  for (const email of ['sam.okafor@marlow.example', 'r.novak@contractor.example']) {
    await api('POST', '/v1/members/invites', { email, role_id: developer })
  }
  await ana.api('POST', '/v1/roles', { name: 'Mine' }).catch(() => null)
  return { ingrid, ana, ledger: ledger.id, robot }
}

/** Dates a membership back, which nobody can do through the API. */
async function joinedOn({ ctx }: ConsoleUnderTest, id: string, day: string, seen = ''): Promise<void> {
  const lastSeen = seen === '' ? ctx.db`` : ctx.db`, last_seen_at = now() - ${seen}::interval`
  await ctx.db`update members set created_at = ${`${day}T09:00:00Z`}${lastSeen} where id = ${id}`
}

type App = { id: string; name: string; environments: { id: string; name: string }[] }

async function makeApps(api: Api): Promise<App[]> {
  const apps: App[] = []
  for (const [name, environments] of APPS) {
    apps.push(
      await api('POST', '/v1/apps', { name, ...(environments === undefined ? {} : { environments }) }),
    )
  }
  return apps
}

async function makeMachines(api: Api, apps: readonly App[]): Promise<string> {
  const { data: roles } = await api('GET', '/v1/roles')
  const service = roles.find(({ name }: { name: string }) => name === 'Service').id
  const ids: string[] = []
  for (const name of ['deploy-production', 'ledger-backup', 'terraform', 'status-probe']) {
    const { id } = await api('POST', '/v1/service-accounts', { name, role_id: service })
    await api('PUT', `/v1/service-accounts/${id}/access`, {
      apps: firstEnvironments(apps, 7 + ids.length * 3),
    })
    ids.push(id)
  }
  const [first = ''] = ids
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
  await api('POST', `/v1/service-accounts/${first}/tokens`, { name: 'GitHub Actions', expires_at: inDays(2) })
  await api('POST', `/v1/service-accounts/${first}/tokens`, { name: 'Argo CD', format: 'phase' })
  return first
}

/** The first `count` environments, app by app, each app's production last. */
function firstEnvironments(apps: readonly App[], count: number): { id: string; environments: string[] }[] {
  const chosen: { id: string; environments: string[] }[] = []
  let left = count
  for (const place of [0, 1, 2]) {
    for (const { id, environments } of apps) {
      const environment = environments[place]
      if (left === 0 || environment === undefined) continue
      const entry = chosen.find((known) => known.id === id)
      if (entry === undefined) chosen.push({ id, environments: [environment.id] })
      else entry.environments.push(environment.id)
      left -= 1
    }
  }
  return chosen
}
