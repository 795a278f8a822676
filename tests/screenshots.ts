import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { startConsole } from './support/console-browser.ts'
import { sampleOrganisation } from './support/sample-organisation.ts'
import { startTestServer } from './support/server.ts'

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

const PAGES = {
  members: '/members',
  access: `/members/${ana.id}/access`,
  secrets: `/apps/${ledger}/secrets`,
}
const { page } = ingrid
for (const [name, path] of Object.entries(PAGES)) {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.goto(`${console.origin}${path}`)
    await page.waitForLoadState('networkidle')
    await page.screenshot({ path: join(FOLDER, `${name}-${colorScheme}.png`) })
  }
}
await console.close()
await database.stop()
