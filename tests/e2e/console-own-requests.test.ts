import { afterAll, beforeAll, expect, test } from 'bun:test'
import {
  type ConsoleUnderTest,
  pageProblems,
  startConsole,
  type Visitor,
} from '../support/console-browser.ts'
import { settled } from '../support/page-reads.ts'

let console: ConsoleUnderTest
let ingrid: Visitor
let paths: string[]

const SETTINGS = [
  'profile',
  'sign-in',
  'tokens',
  'sessions',
  'console',
  'organisation',
  'ownership',
  'deployment',
]

/** What somebody may read who may read no more than one kind of thing. */
const ROLES = {
  'Reads machines': [{ ServiceAccounts: ['read'], ServiceAccountTokens: ['read'] }, {}],
  'Reads secrets': [{ Apps: ['read'] }, { Secrets: ['read'], Environments: ['read'] }],
  'Manages members': [{ Members: ['read', 'create', 'update', 'delete'], Apps: ['read'] }, {}],
} as const

beforeAll(async () => {
  console = await startConsole()
  ingrid = await console.founder()
  const { api } = ingrid
  const app = await api('POST', '/v1/apps', { name: 'Ledger' })
  const roles = (await api('GET', '/v1/roles')).data
  const service = roles.find(({ name }: { name: string }) => name === 'Service').id
  const robot = await api('POST', '/v1/service-accounts', { name: 'deploy', role_id: service })
  for (const [name, [permissions, app_permissions]] of Object.entries(ROLES))
    await api('POST', '/v1/roles', { name, permissions: { permissions, app_permissions } })
  paths = [
    '/access',
    '/members',
    '/members/invites',
    `/members/${ingrid.id}/access`,
    '/service-accounts',
    '/service-accounts/new',
    `/service-accounts/${robot.id}/tokens`,
    `/service-accounts/${robot.id}/access`,
    '/roles',
    `/roles/${service}`,
    '/apps',
    ...['secrets', 'environments', 'access', 'activity', 'settings'].map((tab) => `/apps/${app.id}/${tab}`),
    '/audit',
    ...SETTINGS.map((section) => `/settings/${section}`),
  ]
})
afterAll(() => console.close())

for (const role of ['Developer', ...Object.keys(ROLES)]) {
  test(`the pages that the console leads ${role} to send no request that is refused`, async () => {
    const who = await console.person(`Ana ${role}`, role)
    await ingrid.api('PUT', `/v1/members/${who.id}/access`, { apps: await firstOfEachApp() })
    const refused: string[] = []
    who.page.on('response', (response) => {
      if (response.status() === 403) refused.push(`${new URL(who.page.url()).pathname}: ${response.url()}`)
    })
    await who.page.goto(console.origin)
    await who.page.getByRole('heading', { name: 'Home' }).waitFor()
    await settled(who.page)
    for (const path of paths.filter((path) => isReachable(role, path))) {
      await who.page.goto(`${console.origin}${path}`)
      await who.page.getByRole('navigation', { name: 'Main' }).waitFor()
      await settled(who.page)
    }
    expect(refused).toEqual([])
    await who.close()
    pageProblems()
  }, 120_000)
}

/** What the side bar leads to, and the pages below that. */
function isReachable(role: string, path: string): boolean {
  if (path.startsWith('/settings/')) return true
  if (role === 'Developer') return !/^\/(service-accounts|members\/invites|apps\/[^/]+\/settings)/.test(path)
  const kind = path.split('/')[1] ?? ''
  const [permissions, inApps] = ROLES[role as keyof typeof ROLES] as unknown as Record<string, string[]>[]
  const needed = NEEDED[kind] ?? ''
  if (path === '/service-accounts/new' || path === '/members/invites')
    return role === 'Manages members' && kind === 'members'
  if (/^\/apps\/.*\/settings$/.test(path)) return false
  if (/^\/apps\/.*\/activity$/.test(path)) return false
  if (/^\/apps\/.*\/access$/.test(path)) return permissions?.Members !== undefined
  if (/^\/apps\/.*\/environments$/.test(path)) return inApps?.Environments !== undefined
  return permissions?.[needed] !== undefined
}

const NEEDED: Readonly<Record<string, string>> = {
  access: 'Members',
  members: 'Members',
  'service-accounts': 'ServiceAccounts',
  roles: 'Roles',
  apps: 'Apps',
  audit: 'Logs',
}

const firstOfEachApp = async () =>
  (await ingrid.api('GET', '/v1/apps')).data.map(
    ({ id, environments }: { id: string; environments: { id: string }[] }) => ({
      id,
      environments: [environments[0]?.id],
    }),
  )
