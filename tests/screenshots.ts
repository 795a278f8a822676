import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { startConsole } from './support/console-browser.ts'
import { sampleOrganisation } from './support/sample-organisation.ts'
import { startTestServer } from './support/server.ts'
import { smallPng } from './support/small-png.ts'

/*
 * Makes the pictures of the console in the README: `bun tests/screenshots.ts`. Real pages of a real server, with an
 * organisation that is made up.
 */

const FOLDER = join(import.meta.dir, '../docs/images')

const database = await startTestServer()
process.env.KEYWARD_TEST_DATABASE_URL = database.url
const console = await startConsole()
const { ingrid, ana, ledger } = await sampleOrganisation(console)
await mkdir(FOLDER, { recursive: true })

/** Toggles two cells, so that a change is about to be applied. */
async function changeAccess(page: Page): Promise<void> {
  await page.getByRole('checkbox', { name: 'Ledger, Production: closed' }).click()
  await page.getByRole('checkbox', { name: 'Storefront, Staging: can open' }).click()
}

const PAGES: Record<string, { path: string; prepare?: (page: Page) => Promise<void> }> = {
  members: { path: '/members' },
  access: { path: `/members/${ana.id}/access`, prepare: changeAccess },
  secrets: { path: `/apps/${ledger}/secrets` },
}
const { page } = await console.signIn(ingrid.email, ingrid.name, {
  viewport: { width: 1440, height: 790 },
})
for (const [name, { path, prepare }] of Object.entries(PAGES)) {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.goto(`${console.origin}${path}`)
    await page.waitForLoadState('networkidle')
    await prepare?.(page)
    // No row is pointed at, and nothing has the focus.
    await page.mouse.move(0, 0)
    await page.evaluate('document.activeElement?.blur()')
    await Bun.write(join(FOLDER, `${name}-${colorScheme}.png`), smallPng(await page.screenshot()))
  }
}
await console.close()
await database.stop()
