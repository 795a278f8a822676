import type { Page } from 'playwright-core'
import { type ConsoleUnderTest, startConsole } from '../support/console-browser.ts'
import { fillOrganisation } from '../support/large-organisation.ts'
import { addSection } from './report.ts'
import { isQuick, SECONDS } from './turns.ts'

const MEMBERS = isQuick ? 300 : 5000
const APPS = isQuick ? 100 : 1000
const SECRETS = isQuick ? 200 : 2000
const ENVIRONMENTS = ['development', 'staging', 'production']

/** How far each frame scrolls: one and a half rows of most tables, thousands of pixels a second. */
const STEP = 60

/** What the browser draws while the longest lists scroll, at the full speed of the processor. */
export async function scrolling(): Promise<void> {
  const console = await startConsole({ RATE_LIMIT_DEFAULT: 'off' })
  const { page, api } = await console.founder()
  const { id } = await api('POST', '/v1/apps', { name: 'Large', environments: ENVIRONMENTS })
  const secrets = Array.from({ length: SECRETS }, (_, at) => ({ key: `KEY_${at}`, value: `value ${at}` }))
  for (const env of ENVIRONMENTS) await api('POST', `/v1/secrets?app_id=${id}&env=${env}`, { secrets })
  const size = { members: MEMBERS, serviceAccounts: 200, apps: APPS, roles: 10, invites: 10, entries: 10 }
  const { developerId } = await fillOrganisation(console.ctx, size)
  const rows: string[][] = []

  await openAllMembers(console, page)
  rows.push(['Nothing', ...(await frames(page, '({ scrollBy() {} })'))])
  rows.push([`${MEMBERS} members`, ...(await frames(page, 'document.scrollingElement'))])
  await page.goto(`${console.origin}/apps/${id}/secrets`)
  await page.locator('[data-cell$=" / KEY_0"]').first().waitFor()
  rows.push([`${SECRETS} secrets`, ...(await frames(page, "document.querySelector('.scroll-x')"))])
  await page.goto(`${console.origin}/members/${developerId}/access`)
  await page.getByRole('grid').waitFor()
  rows.push([`Access to ${APPS} apps`, ...(await frames(page, "document.querySelector('.matrix-frame')"))])
  await page.goto(`${console.origin}/access`)
  await page.locator('.matrix-frame').waitFor()
  rows.push([
    `Access of ${MEMBERS} people`,
    ...(await frames(page, "document.querySelector('.matrix-frame')")),
  ])

  addSection({
    title: `The console, long lists that scroll ${STEP} pixels a frame`,
    columns: [
      'List',
      'Median frame, ms',
      'Slowest twentieth, ms',
      'Frames above 20 ms',
      'Main thread, ms a frame',
    ],
    rows,
  })
  await console.close()
}

/** The list of members, loaded to its end and with the pointer resting on it. */
async function openAllMembers({ origin }: ConsoleUnderTest, page: Page): Promise<void> {
  await page.goto(`${origin}/members`)
  const more = page.getByRole('button', { name: /^Load / })
  await more.waitFor()
  while (await more.isVisible()) {
    const shown = page.getByRole('search').getByRole('status')
    const before = await shown.textContent()
    await more.click()
    await shown.filter({ hasNotText: before ?? '' }).waitFor()
  }
}

type Frames = { count: number; median: number; slow: number; above: number }

async function frames(page: Page, element: string): Promise<string[]> {
  const browser = await page.context().newCDPSession(page)
  await browser.send('Performance.enable', { timeDomain: 'threadTicks' })
  const busy = async () => {
    const { metrics } = await browser.send('Performance.getMetrics')
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1000
  }
  await page.waitForTimeout(500)
  const before = await busy()
  const { count, median, slow, above } = await page.evaluate<Frames>(`(${scrollDown})(${element})`)
  const perFrame = ((await busy()) - before) / count
  await browser.detach()
  return [median.toFixed(1), slow.toFixed(1), `${above} of ${count}`, perFrame.toFixed(1)]
}

/** Runs in the page. */
const scrollDown = `(element) => new Promise((resolve) => {
  const times = []
  const start = performance.now()
  let last = start
  const step = (now) => {
    times.push(now - last)
    last = now
    element.scrollBy(0, ${STEP})
    if (now - start < ${SECONDS * 1000}) return requestAnimationFrame(step)
    times.shift()
    times.sort((a, b) => a - b)
    const at = (part) => times[Math.floor(times.length * part)]
    resolve({ count: times.length, median: at(0.5), slow: at(0.95), above: times.filter((time) => time > 20).length })
  }
  requestAnimationFrame(step)
})`
