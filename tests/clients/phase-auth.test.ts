import { afterAll, beforeAll, expect, test } from 'bun:test'
import { spawn } from 'node:child_process'
import type { Browser } from 'playwright-core'
import { startChromium } from '../support/chromium.ts'
import { cleanUp } from '../support/keyward.ts'
import { clientEnvironment, emptyFolder, phase, removeFolders, variable } from './support/clients.ts'
import { type Deployment, startDeployment } from './support/deployment.ts'

let deployment: Deployment
let chromium: Browser

beforeAll(async () => {
  deployment = await startDeployment()
  chromium = await startChromium()
})
afterAll(async () => {
  await chromium.close()
  await removeFolders()
  await cleanUp()
})

/** Runs `phase auth`, which waits for the browser: gives the address that it prints, and how it ended. */
async function startAuth(home: string, host: string) {
  const child = spawn(variable('KEYWARD_TEST_PHASE_CLI'), ['auth', '--mode', 'webauth'], {
    cwd: home,
    env: clientEnvironment(home, { host }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  const ended = new Promise<{ code: number | null; said: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, said })),
  )
  const address = await new Promise<string>((resolve, reject) => {
    const look = (part: string) => {
      said += part
      const [address] = /https?:\/\/\S+\/webauth\/\S+/.exec(said) ?? []
      if (address !== undefined) resolve(address)
    }
    child.stdout.setEncoding('utf8').on('data', look)
    child.stderr.setEncoding('utf8').on('data', look)
    child.once('close', () => reject(new Error(`phase auth ended: ${said}`)))
  })
  return { address, ended }
}

test('`phase auth` opens a page that hands it a token, with which it then works', async () => {
  const home = await emptyFolder()
  const host = deployment.keyward.url
  const line = await startAuth(home, host)
  expect(line.address).toStartWith(`${host}/webauth/`)
  const page = await (await chromium.newContext()).newPage()
  await page.goto(line.address)
  await page.getByLabel('E-mail').fill('owner@example.org')
  await page.getByLabel('Password').fill('correct horse battery')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('button', { name: 'Connect it' }).click()
  await page.getByRole('heading', { name: 'The command line is connected' }).waitFor()
  const { code, said } = await line.ended
  expect([code, said]).toEqual([0, expect.stringContaining('Authentication successful')])
  const whoami = await phase(['users', 'whoami'], { home, host })
  expect(whoami.stdout).toContain('owner@example.org')
  const tokens = (await deployment.ask('GET', '/v1/tokens/')).data as { format: string }[]
  expect(tokens.map(({ format }) => format)).toEqual(['phase'])
}, 120_000)
