import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  type ConsoleUnderTest,
  expectAccessible,
  pageProblems,
  screenshot,
  startConsole,
  type Visitor,
} from '../support/console-browser.ts'
import { expectCount, expectSoon, settled } from '../support/page-reads.ts'

let console: ConsoleUnderTest
let ingrid: Visitor
let ana: Visitor
let ledger: { id: string; name: string; environments: { id: string; name: string }[] }

beforeAll(async () => {
  console = await startConsole()
  ingrid = await console.founder()
  ana = await console.person('Ana Duarte', 'Developer')
  for (const { page } of [ingrid, ana]) page.setDefaultTimeout(15_000)
  ledger = await ingrid.api('POST', '/v1/apps', { name: 'Ledger' })
  await ingrid.api('POST', '/v1/apps', { name: '<img src=x onerror=document.title=1>' })
  const staging = ledger.environments.find(({ name }) => name === 'Staging')?.id
  await ingrid.api('PUT', `/v1/members/${ana.id}/access`, {
    apps: [{ id: ledger.id, environments: [staging] }],
  })
  const refused = await ana.api('POST', '/v1/apps', { name: 'Mine' }).catch((error: Error) => error.message)
  expect(refused).toContain('403')
  for (let round = 0; round < 3; round++)
    await ana.api('DELETE', `/v1/members/${ingrid.id}`).catch(() => null)
})
afterAll(() => console.close())

const entries = (visitor: Visitor) =>
  visitor.page.getByRole('listitem').filter({ has: visitor.page.getByRole('time') })

describe('the audit log', () => {
  test('says who opened what to whom, and the open entry what was before and after', async () => {
    const { page } = ingrid
    await page.goto(`${console.origin}/audit`)
    const entry = entries(ingrid).filter({ hasText: 'Ingrid Solberg opened Staging of Ledger to Ana Duarte' })
    await entry.getByRole('button', { name: /^Details of the entry/ }).click()
    await entry.getByRole('row', { name: 'Ledger, Staging closed open' }).waitFor()
    await expectCount(entry.getByText('127.0.0.1'), 1)
    await page.waitForURL(/entry=/)
    await expectCount(page.getByRole('heading', { name: /^Today / }), 1)
    await expectAccessible(page)
    await screenshot(page, 'audit')
    expect(pageProblems()).toEqual([])
  })

  test('opens an entry from its address alone, also under filters that it does not match', async () => {
    const { page } = ingrid
    const entry = new URL(page.url()).searchParams.get('entry') ?? ''
    const address = new URLSearchParams({ event: 'app.created', entry })
    await page.goto(`${console.origin}/audit?${address}`)
    await page.getByRole('row', { name: 'Ledger, Staging closed open' }).waitFor()
    await expectCount(page.getByRole('button', { expanded: true, name: /^Details/ }), 1)
  })

  test('marks what was refused, with its reason and how often', async () => {
    const { page } = ingrid
    await page.goto(`${console.origin}/audit?outcome=refused`)
    const refusal = entries(ingrid).filter({ hasText: 'Ana Duarte tried to remove Ingrid Solberg ×3' })
    await refusal.getByText('Refused', { exact: true }).waitFor()
    await refusal.getByRole('button', { name: /^Details/ }).click()
    await refusal.getByText('3 within a minute').waitFor()
    await expectCount(refusal.getByText('Reason'), 1)
  })

  test('is filtered by what happened, who did it and where; back takes the last filter away', async () => {
    const { page } = ingrid
    await page.goto(`${console.origin}/audit`)
    await page.getByRole('combobox', { name: 'Filter by what' }).click()
    await page.getByRole('combobox', { name: 'Find: what' }).fill('app created')
    await page.getByRole('option', { name: 'App created' }).click()
    await page.waitForURL(/event=app\.created/)
    await entries(ingrid).filter({ hasText: 'created the app Ledger' }).waitFor()
    await expectCount(entries(ingrid).filter({ hasText: 'opened' }), 0)

    await page.getByRole('combobox', { name: 'Filter by who' }).click()
    await page.getByRole('combobox', { name: 'Find: who' }).fill('ana')
    await page.getByRole('option', { name: /Ana Duarte/ }).click()
    await page.getByText('No entry matches these filters').waitFor()
    await page.goBack()
    await entries(ingrid).filter({ hasText: 'created the app Ledger' }).waitFor()
    expect(pageProblems()).toEqual([])
  })

  test('leads from an entry to the secrets that were read, and names none of them', async () => {
    const { page } = ingrid
    const place = `/v1/secrets/?app_id=${ledger.id}&env=staging`
    await ingrid.api('POST', place, { secrets: [{ key: 'STRIPE_KEY', value: 'sk_live' }] })
    await ana.api('GET', place)
    await page.goto(`${console.origin}/audit?event=secret.read`)
    const entry = entries(ingrid).filter({ hasText: 'Ana Duarte read 1 secret in Staging of Ledger' })
    await entry.getByRole('button', { name: /^Details of the entry/ }).click()
    await entry.getByText('The log keeps no names of secrets.').waitFor()
    await settled(page)
    expect(await entry.textContent()).not.toContain('STRIPE_KEY')
    await expectAccessible(page)
    await screenshot(page, 'audit-secret-read')
    await entry.getByRole('row').getByRole('link').click()
    await page.getByRole('heading', { name: 'STRIPE_KEY' }).waitFor()
    expect(pageProblems()).toEqual([])
  })

  test('finds somebody who was removed, and names them where their entries are asked for', async () => {
    const { page } = ingrid
    const bob = await console.person('Bob Marsh', 'Developer')
    await bob.api('POST', '/v1/apps', { name: 'Mine' }).catch(() => null)
    await ingrid.api('DELETE', `/v1/members/${bob.id}`)
    await page.goto(`${console.origin}/audit?actor=${bob.id}`)
    await page.getByRole('button', { name: 'Remove the filter Who: Bob Marsh' }).click()
    await page.getByRole('combobox', { name: 'Filter by who' }).click()
    await page.getByRole('option', { name: /Bob Marsh removed/ }).waitFor()
    await expectAccessible(page)
    await screenshot(page, 'audit-who', [1440, 1280, 768, 360])
    await page.getByRole('combobox', { name: 'Find: who' }).fill('bob')
    await page.getByRole('option', { name: /Bob Marsh removed/ }).click()
    await page.waitForURL(new RegExp(`actor=${bob.id}`))
    await entries(ingrid).filter({ hasText: 'Bob Marsh tried to create an app' }).waitFor()
    expect(pageProblems()).toEqual([])
  })

  test('is filtered by app, and in it by environment', async () => {
    const { page } = ingrid
    await page.goto(`${console.origin}/audit`)
    await page.getByRole('combobox', { name: 'Filter by app' }).click()
    await page.getByRole('option', { name: 'Ledger' }).click()
    await entries(ingrid).filter({ hasText: 'opened Staging of Ledger to Ana Duarte' }).waitFor()
    await expectCount(entries(ingrid).filter({ hasText: 'signed in' }), 0)
    await page.getByRole('combobox', { name: 'Filter by environment' }).click()
    await page.getByRole('option', { name: 'Production' }).click()
    await page.getByText('Environment: Production of Ledger').waitFor()
    await entries(ingrid).filter({ hasText: 'created the environment Production of Ledger' }).waitFor()
    await expectCount(entries(ingrid).filter({ hasText: 'Staging' }), 0)
    await page.getByRole('button', { name: 'Remove the filter App: Ledger' }).click()
    await expectSoon(() => new URL(page.url()).search, '')
  })

  test('is filtered by days, which the address keeps', async () => {
    const { page } = ingrid
    await page.goto(`${console.origin}/audit`)
    await page.getByRole('button', { name: 'When' }).click()
    await page.getByLabel('From the day').fill('2020-02-01')
    await page.getByLabel('To the day, included').fill('2020-02-02')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Show these days' }).click()
    await page.getByText('No entry matches these filters').waitFor()
    await page.reload()
    await page.getByText('1 Feb 2020 to 2 Feb 2020').waitFor()
    await page.getByRole('button', { name: 'Remove all filters' }).click()
    await entries(ingrid).first().waitFor()
    expect(pageProblems()).toEqual([])
  })

  test('is shown whole where the address has no usable filters', async () => {
    const { page } = ingrid
    await page.goto(`${console.origin}/audit?from=<b>&to=x&outcome=none&event=5&app=[]`)
    await entries(ingrid).filter({ hasText: 'created the app Ledger' }).waitFor()
    await expectCount(page.getByRole('button', { name: /^Remove/ }), 0)
    expect(pageProblems()).toEqual([])
  })

  test('shows names that people typed as text', async () => {
    const { page } = ingrid
    await page.goto(`${console.origin}/audit?event=app.created`)
    await page.getByText('<img src=x onerror=document.title=1>').first().waitFor()
    await expectSoon(() => page.title(), 'Audit log · Keyward')
  })

  test('is downloaded as it is filtered', async () => {
    const { page } = ingrid
    await page.goto(`${console.origin}/audit?event=member.access_changed`)
    await page.getByRole('button', { name: /^Export/ }).click()
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Download as CSV' }).click(),
    ])
    const lines = (await Bun.file(await file.path()).text()).trimEnd().split('\r\n')
    expect(file.suggestedFilename()).toMatch(/^audit-log-\d{4}-\d{2}-\d{2}\.csv$/)
    expect(lines).toHaveLength(2)
    expect(lines[1]).toContain('Ingrid Solberg opened Staging of Ledger to Ana Duarte')
    await page.getByText('The file has every entry that matches the filters: 1.').waitFor()
  })

  test('loads older entries page by page', async () => {
    const { page } = ingrid
    for (let round = 0; round < 55; round++)
      await ingrid.api('PUT', '/v1/organisation', { name: `Marlow ${round}` })
    await page.goto(`${console.origin}/audit?event=organisation.updated`)
    await page.getByText('50 shown, newest first').waitFor()
    await expectCount(entries(ingrid), 50)
    await page.getByRole('button', { name: 'Load older entries' }).click()
    await page.getByRole('button', { name: 'Load older entries' }).waitFor({ state: 'detached' })
    await expectCount(entries(ingrid), 55)
    await expectCount(page.getByText('renamed Marlow 53 to Marlow 54'), 1)
  })

  test('shows a Developer no address of others, and a Service role no page at all', async () => {
    const { page } = ana
    await page.goto(`${console.origin}/audit?event=member.access_changed`)
    await page.getByText('Ingrid Solberg changed what Ana Duarte can open').waitFor()
    await page
      .getByRole('button', { name: /^Details/ })
      .first()
      .click()
    await page.getByText('Role then').waitFor()
    await expectCount(page.getByText('127.0.0.1'), 0)

    const bram = await console.person('Bram de Wit', 'Service')
    await bram.page.goto(`${console.origin}/audit`)
    await bram.page
      .getByText('Your role doesn’t open this page')
      .or(bram.page.getByRole('alert'))
      .first()
      .waitFor()
    await expectCount(bram.page.getByRole('navigation', { name: 'Main' }).getByText('Audit log'), 0)
  })
})
