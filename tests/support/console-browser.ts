import { expect } from 'bun:test'
import { join } from 'node:path'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { createApp } from '../../src/backend/app.ts'
import { builtFiles } from '../../src/frontend/files.ts'
import { besideBackend, createFrontend } from '../../src/frontend/server.ts'
import { createLog } from '../../src/platform/log.ts'
import { startChromium } from './chromium.ts'
import { type TestContext, testContext } from './context.ts'
import { freePort } from './free-port.ts'
import { settled, watchRequests } from './page-reads.ts'
import { PASSWORD } from './sign-in.ts'

/** A person of the console's tests: a browser of their own that is signed in, and a caller of the API. */
export type Visitor = Readonly<{
  id: string
  name: string
  email: string
  page: Page
  api: Api
  close(): Promise<void>
}>

/** Calls the API as a person; an answer that is no success is thrown with its sentence. */
export type Api = (method: string, path: string, body?: unknown) => Promise<Json>

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
type Json = any

type Variables = Record<string, string>

/** The built console and the backend on one port, as `serve` has them, with the system's Chromium. */
export type ConsoleUnderTest = Awaited<ReturnType<typeof startConsole>>

/**
 * Starts the console on an empty database. `founder` sets it up through the API and signs in as its Owner; `person`
 * invites somebody, who accepts and signs in. `open` gives a page without a session. The environment may depend on the origin, as the settings of an identity
 * provider do.
 */
export async function startConsole(
  environment: Variables | ((origin: string) => Promise<Variables> | Variables) = {},
) {
  const chromium = await startChromium()
  const origin = `http://localhost:${freePort()}`
  const variables = typeof environment === 'function' ? await environment(origin) : environment
  const ctx = await testContext({ HOST: origin, RATE_LIMIT_AUTH: 'off', ...variables }, new Date())
  const handler = besideBackend(
    createApp(ctx, () => '127.0.0.1'),
    createFrontend(ctx.config, createLog('error'), builtFiles()),
  )
  const server = Bun.serve({
    port: Number(new URL(origin).port),
    hostname: 'localhost',
    fetch: (request) => handler.fetch(request),
  })
  const visitors: BrowserContext[] = []

  const open = async (options: BrowserContextOptions = {}): Promise<Page> => {
    const context = await newContext(chromium, options)
    visitors.push(context)
    return watched(await context.newPage())
  }
  const signIn = async (
    email: string,
    name: string,
    options: BrowserContextOptions = {},
  ): Promise<Visitor> => {
    const response = await post(`${origin}/service/auth/password/login/`, { email, password: PASSWORD })
    const { member, accessToken } = (await response.json()) as Json
    const page = await open(options)
    await page
      .context()
      .addCookies(
        response.headers
          .getSetCookie()
          .map((header) => ({ ...pairOf(header), domain: 'localhost', path: pathOf(header) })),
      )
    return {
      id: member?.id,
      name,
      email,
      page,
      api: apiOf(origin, accessToken),
      close: () => page.context().close(),
    }
  }
  let founder: Visitor | null = null

  return {
    ctx,
    origin,
    chromium,
    open,
    signIn,
    async founder(name = 'Ingrid Solberg', organisation = 'Marlow Instruments'): Promise<Visitor> {
      const email = 'ingrid@marlow.example'
      await post(`${origin}/service/auth/password/register/`, {
        email,
        password: PASSWORD,
        full_name: name,
        organisation_name: organisation,
      })
      founder = await signIn(email, name)
      return founder
    },
    async person(name: string, role: string, options: BrowserContextOptions = {}): Promise<Visitor> {
      if (founder === null) throw new Error('call founder() first')
      const email = `${name
        .toLowerCase()
        .normalize('NFD')
        .replace(/[^a-z ]/g, '')
        .replaceAll(' ', '.')}@marlow.example`
      const roles = (await founder.api('GET', '/v1/roles')).data as { id: string; name: string }[]
      const roleId = roles.find((known) => known.name === role)?.id
      const isGlobal = role === 'Admin'
      const developer = roles.find((known) => known.name === 'Developer')?.id
      const { inviteUrl } = await founder.api('POST', '/v1/members/invites', {
        email,
        role_id: isGlobal ? developer : roleId,
      })
      const invite = new URL(inviteUrl).hash.slice(1)
      await post(`${origin}/service/auth/password/register/`, {
        email,
        password: PASSWORD,
        full_name: name,
        invite,
      })
      const visitor = await signIn(email, name, options)
      if (isGlobal) await founder.api('PUT', `/v1/members/${visitor.id}`, { role_id: roleId })
      return visitor
    },
    async close(): Promise<void> {
      for (const context of visitors) await context.close()
      await chromium.close()
      await server.stop(true)
      await ctx.close()
    },
  }
}

/** Shows a page of the console in both themes once it has all answers, and expects no violation of WCAG 2.2 AA in either. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor({ state: 'attached' })
  await settled(page)
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
    await page.evaluate(await axeSource())
    const violations = await page.evaluate(async () => {
      const axe = (globalThis as Json).axe
      const { violations } = await axe.run({
        runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
      })
      return violations.map(({ id, help, nodes }: Json) => ({
        id,
        help,
        where: nodes
          .map(({ html, failureSummary }: Json) => `${html.slice(0, 200)} ${failureSummary}`)
          .slice(0, 4),
      }))
    })
    expect({ theme, violations }).toEqual({ theme, violations: [] })
  }
  await page.emulateMedia({ colorScheme: null })
}

/** Keeps pictures of a page in three widths and both themes, where the environment names a folder in `SCREENSHOTS`. */
export async function screenshot(
  page: Page,
  name: string,
  widths: readonly number[] = [1440, 768, 360],
): Promise<void> {
  const folder = process.env.SCREENSHOTS
  if (folder === undefined) return
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    for (const width of widths) {
      await page.setViewportSize({ width, height: width < 500 ? 780 : 900 })
      await page.waitForTimeout(150)
      await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`) })
    }
  }
  await page.emulateMedia({ colorScheme: null })
  await page.setViewportSize({ width: 1440, height: 900 })
}

const newContext = (chromium: Browser, options: BrowserContextOptions): Promise<BrowserContext> =>
  chromium.newContext({
    viewport: { width: 1440, height: 900 },
    locale: 'en-GB',
    timezoneId: 'Europe/Lisbon',
    ...options,
  })

/** A page whose requests are watched, and whose errors fail the test: what throws, and what the content security policy forbids. */
function watched(page: Page): Page {
  const fail = (message: string) => {
    problems.push(message)
  }
  page.on('pageerror', (error) => fail(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error' && !/Failed to load resource/.test(message.text())) fail(message.text())
  })
  return watchRequests(page)
}

const problems: string[] = []

/** What went wrong in the pages since this was asked last: errors that were thrown, and refusals of the content policy. */
export const pageProblems = (): string[] => problems.splice(0)

const post = (url: string, body: unknown): Promise<Response> =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })

const apiOf =
  (origin: string, token: string): Api =>
  async (method, path, body) => {
    const response = await fetch(`${origin}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return text === '' ? null : JSON.parse(text)
  }

function pairOf(setCookie: string): { name: string; value: string } {
  const [pair = ''] = setCookie.split(';', 1)
  const [name = '', ...value] = pair.split('=')
  return { name, value: value.join('=') }
}

const pathOf = (setCookie: string): string => /;\s*Path=([^;]+)/i.exec(setCookie)?.[1] ?? '/'

let axe: Promise<string> | null = null
const axeSource = (): Promise<string> => {
  axe ??= Bun.file(join(import.meta.dir, '../../node_modules/axe-core/axe.min.js')).text()
  return axe
}

export type { TestContext }
