import { test } from 'bun:test'
import { pageProblems, startConsole } from '../support/console-browser.ts'
import { type IdentityProvider, startIdentityProvider } from '../support/identity-provider.ts'

test('x', async () => {
  let idp: IdentityProvider | undefined
  const c = await startConsole(async (origin) => {
    idp = await startIdentityProvider([`${origin}/service/auth/sso/keycloak/callback/`])
    return { ...idp.variables('keycloak'), KEYCLOAK_DISPLAY_NAME: 'Marlow SSO' }
  })
  await c.founder()
  if (idp) idp.person = { sub: 'bela', email: 'bela@marlow.example', email_verified: true, name: 'Bela' }
  const page = await c.open()
  page.on('response', (r) => process.stdout.write(`${r.status()} ${r.request().method()} ${r.url()}\n`))
  await page.goto(`${c.origin}/sign-in`)
  await page.getByRole('button', { name: 'Continue with Marlow SSO' }).click()
  await page.waitForTimeout(9000)
  process.stdout.write(`${page.url()} ${await page.locator('body').innerText()}\n${pageProblems()}\n`)
  await c.close()
}, 90000)
