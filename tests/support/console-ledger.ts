import type { Page } from 'playwright-core'
import type { ConsoleUnderTest, Visitor } from './console-browser.ts'

/** An app with secrets in three environments, as the tests of the console's grid find it. */
export type Ledger = Awaited<ReturnType<typeof createLedger>>

const named = (key: string, value: string, more: object = {}) => ({ key, value, ...more })

const SHARED = [
  named('DB_USER', 'ledger-user', { tags: ['db'] }),
  named('PAYOUT_LIMIT', '5000'),
  named('HOST', 'db.internal', { path: '/db', tags: ['db'] }),
]

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: references are written so
const BY_ENVIRONMENT = {
  development: [
    ...SHARED,
    named('DATABASE_URL', 'postgres://${DB_USER}@${/db/HOST}/${NOTHING}', { tags: ['db'] }),
    named('LOG_LEVEL', 'debug', { type: 'config', tags: ['config'] }),
    named('STRIPE_KEY', 'rk-development', { tags: ['payments', 'rotate'] }),
    named('SESSION_KEY', 'sealed-development', { type: 'sealed' }),
  ],
  staging: [
    ...SHARED,
    named('LOG_LEVEL', 'info', { type: 'config' }),
    named('STRIPE_KEY', 'rk-staging'),
    named('SESSION_KEY', 'sealed-development', { type: 'sealed' }),
  ],
  production: [...SHARED, named('LOG_LEVEL', 'info', { type: 'config' }), named('STRIPE_KEY', 'rk-staging')],
}
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: as above

/** Creates the app through the API. */
export async function createLedger(console: ConsoleUnderTest, founder: Visitor, name = 'Ledger') {
  const app = await founder.api('POST', '/v1/apps', { name })
  const at = (environment: string, more = '') => `/v1/secrets?app_id=${app.id}&env=${environment}${more}`
  for (const [environment, secrets] of Object.entries(BY_ENVIRONMENT)) {
    await founder.api('POST', at(environment), { secrets })
  }
  return {
    id: app.id as string,
    environments: app.environments as { id: string; name: string }[],
    at,
    address: `${console.origin}/apps/${app.id}/secrets`,
    /** What is stored of a secret. */
    stored: async (environment: string, key: string) =>
      (await founder.api('GET', at(environment, `&key=${key}&raw=true`)))[0],
  }
}

/** The cell of a secret in an environment, by the place of its column. */
export const cellOf = (page: Page, row: string, column: number) =>
  page.locator(`[data-cell$=" ${row}"]`).nth(column)

/** Puts a text in the place of what the field has that gets the focus. */
export async function type(page: Page, text: string): Promise<void> {
  await page.locator('input:focus, textarea:focus').waitFor()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.type(text)
}
