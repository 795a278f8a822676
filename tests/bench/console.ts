import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { buildConsole } from '../../src/frontend/build.ts'
import { type ConsoleUnderTest, startConsole } from '../support/console-browser.ts'
import { sampleOrganisation } from '../support/sample-organisation.ts'
import { addSection } from './report.ts'
import { median, ROUNDS } from './turns.ts'

/** How many times slower the processor is made than the machine's: a phone of some years ago. */
const SLOWDOWN = 4

const KIB = 1024

/** What browsers load first, when they show something, and how long they take to answer the reader. */
export async function consoleInBrowser(): Promise<void> {
  await buildConsole()
  const console = await startConsole()
  const { ingrid, ana, ledger } = await sampleOrganisation(console)
  const pages = {
    Home: '/',
    Members: '/members',
    'Access of a member': `/members/${ana.id}/access`,
    Secrets: `/apps/${ledger}/secrets`,
  }
  const rows: string[][] = []
  for (const [name, path] of Object.entries(pages))
    rows.push([name, ...(await firstLoad(console, ingrid.page, path))])
  addSection({
    title: `The console, first load of a page, with a processor slowed down ${SLOWDOWN} times`,
    columns: ['Page', 'JavaScript, KiB (gzip)', 'First paint, ms', 'Content there, ms'],
    rows,
  })
  addSection({
    title: `The console, from a key or click to the next frame, with a processor slowed down ${SLOWDOWN} times`,
    columns: ['Interaction', 'ms'],
    rows: await interactions(console, ingrid.page, ana.id),
  })
  await console.close()
}

async function firstLoad({ origin }: ConsoleUnderTest, page: Page, path: string): Promise<string[]> {
  const sizes: number[] = []
  const paints: number[] = []
  const contents: number[] = []
  const throttle = await page.context().newCDPSession(page)
  for (let round = 0; round < ROUNDS; round++) {
    const scripts: string[] = []
    const count = (response: { url(): string }) => {
      if (response.url().endsWith('.js')) scripts.push(response.url())
    }
    await throttle.send('Network.clearBrowserCache')
    await throttle.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN })
    page.on('response', count)
    await page.goto(`${origin}${path}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    contents.push(await page.evaluate(() => performance.now()))
    await page.waitForLoadState('networkidle')
    page.off('response', count)
    paints.push(
      await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0),
    )
    // Asked for again: the browser forgets what it loaded when it leaves a page.
    const loaded = await Promise.all(scripts.map(async (url) => gzipSync(await (await fetch(url)).bytes())))
    sizes.push(loaded.reduce((sum, { length }) => sum + length, 0))
  }
  await throttle.detach()
  return [(median(sizes) / KIB).toFixed(0), median(paints).toFixed(0), median(contents).toFixed(0)]
}

async function interactions({ origin }: ConsoleUnderTest, page: Page, member: string): Promise<string[][]> {
  const throttle = await page.context().newCDPSession(page)
  const measured: string[][] = []
  const measure = async (name: string, prepare: () => Promise<void>, act: () => Promise<void>) => {
    const times: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      await prepare()
      await throttle.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN })
      await page.evaluate(watchEvents)
      await act()
      await page.waitForTimeout(300)
      times.push(await page.evaluate(slowestEvent))
      await throttle.send('Emulation.setCPUThrottlingRate', { rate: 1 })
    }
    measured.push([name, median(times).toFixed(0)])
  }
  const openAccess = async () => {
    await page.goto(`${origin}/members/${member}/access`)
    await page.getByRole('checkbox', { name: /Ledger, Production/ }).waitFor()
  }
  await measure('A cell of the access matrix is toggled', openAccess, () =>
    page.getByRole('checkbox', { name: /Ledger, Production/ }).click(),
  )
  const openMembers = async () => {
    await page.goto(`${origin}/members`)
    await page.getByRole('row', { name: /Ana Duarte/ }).waitFor()
  }
  await measure('A letter is typed into the search of members', openMembers, async () => {
    await page.getByRole('searchbox').first().press('a')
  })
  await measure('The palette is opened', openMembers, () => page.keyboard.press('ControlOrMeta+k'))
  await throttle.detach()
  return measured
}

/** Notes how long the browser took from each event of the reader to the next frame. */
function watchEvents(): void {
  const noted: number[] = []
  Object.assign(globalThis, { noted })
  const options = { type: 'event', durationThreshold: 16, buffered: false } as PerformanceObserverInit
  new PerformanceObserver((list) => noted.push(...list.getEntries().map(({ duration }) => duration))).observe(
    options,
  )
}

/** The browser notes nothing below 16 ms. */
function slowestEvent(): number {
  return Math.max(16, ...(globalThis as unknown as { noted: number[] }).noted)
}
