import { afterAll, beforeAll, expect, test } from 'bun:test'
import {
  type ConsoleUnderTest,
  expectAccessible,
  pageProblems,
  screenshot,
  startConsole,
  type Visitor,
} from '../support/console-browser.ts'

let console: ConsoleUnderTest
let ingrid: Visitor
let appId: string

const secretsAt = (environment: string) => `/v1/secrets?app_id=${appId}&env=${environment}`

beforeAll(async () => {
  console = await startConsole()
  ingrid = await console.founder()
  const app = await ingrid.api('POST', '/v1/apps', { name: 'Ledger' })
  appId = app.id
  const secret = (key: string, value: string, more: object = {}) => ({ key, value, ...more })
  const shared = [
    secret('DB_USER', 'ledger', { tags: ['db'] }),
    secret('PAYOUT_LIMIT', '5000'),
    secret('HOST', 'db.internal', { path: '/db', tags: ['db'] }),
  ]
  await ingrid.api('POST', secretsAt('development'), {
    secrets: [
      ...shared,
      secret('DATABASE_URL', 'postgres://${DB_USER}@${/db/HOST}/${NOTHING}', { tags: ['db'] }),
      secret('LOG_LEVEL', 'debug', { type: 'config', tags: ['config'] }),
      secret('STRIPE_KEY', 'rk-development', { tags: ['payments', 'rotate'] }),
      secret('SESSION_KEY', 'sealed-development', { type: 'sealed' }),
    ],
  })
  await ingrid.api('POST', secretsAt('staging'), {
    secrets: [
      ...shared,
      secret('LOG_LEVEL', 'info', { type: 'config' }),
      secret('STRIPE_KEY', 'rk-staging'),
      secret('SESSION_KEY', 'sealed-development', { type: 'sealed' }),
    ],
  })
  await ingrid.api('POST', secretsAt('production'), {
    secrets: [...shared, secret('LOG_LEVEL', 'info', { type: 'config' }), secret('STRIPE_KEY', 'rk-staging')],
  })
})
afterAll(() => console.close())

test('a value is edited in its cell and applied, and is in no document before it is asked for', async () => {
  const { page } = ingrid
  await page.goto(`${console.origin}/apps/${appId}/secrets`)
  const cell = page.getByRole('gridcell').and(page.locator('[data-cell$=" / STRIPE_KEY"]')).nth(2)
  await cell.waitFor()
  await expectAccessible(page)
  await screenshot(page, 'secrets')
  const html = await page.content()
  for (const value of ['rk-development', 'rk-staging', 'db.internal', 'sealed-development']) {
    expect(html).not.toContain(value)
  }
  await cell.press('Enter')
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.type('rk-production')
  await screenshot(page, 'secrets-edit')
  await page.keyboard.press('ControlOrMeta+Enter')
  await page.getByText('In Production, STRIPE_KEY gets a new value.').waitFor()
  await page.keyboard.press('ControlOrMeta+Enter')
  await page.getByText('1 change was applied.').waitFor()
  const stored = await ingrid.api('GET', `${secretsAt('production')}&key=STRIPE_KEY`)
  expect(stored[0].value).toBe('rk-production')
  expect(pageProblems()).toEqual([])
})

test('the history shows who changed what, and brings an older version back', async () => {
  const { page } = ingrid
  const [secret] = await ingrid.api('GET', `${secretsAt('production')}&key=STRIPE_KEY`)
  await page.goto(`${console.origin}/apps/${appId}/secrets/${secret.id}`)
  await page.getByRole('heading', { name: 'STRIPE_KEY', level: 1 }).waitFor()
  const versions = page.getByRole('navigation', { name: 'Versions' })
  await versions.getByText('changed the value').waitFor()
  expect(await page.content()).not.toContain('rk-')
  await page.keyboard.press('v')
  await page.locator('.diff .remove', { hasText: 'rk-staging' }).waitFor()
  await page.locator('.diff .add', { hasText: 'rk-production' }).waitFor()
  await expectAccessible(page)
  await screenshot(page, 'secret-history')
  await page.getByRole('button', { name: 'Restore version 1…' }).click()
  await page.getByRole('button', { name: 'Restore version 1', exact: true }).click()
  await versions.getByText('restored version 1').waitFor()
  const stored = await ingrid.api('GET', `${secretsAt('production')}&key=STRIPE_KEY`)
  expect([stored[0].value, stored[0].version]).toEqual(['rk-staging', 3])
  await ingrid.api('PUT', secretsAt('production'), { secrets: [{ id: secret.id, value: 'rk-production' }] })
  expect(pageProblems()).toEqual([])
})
