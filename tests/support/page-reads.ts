import { expect } from 'bun:test'
import type { Locator, Page, Request } from 'playwright-core'
import { eventually } from './eventually.ts'

const underWay = new WeakMap<Page, Set<Request>>()

/** Notes the requests of a page that are not answered yet, for `settled`. */
export function watchRequests(page: Page): Page {
  const requests = new Set<Request>()
  underWay.set(page, requests)
  page.on('request', (request) => {
    // A new document waits for nothing that the one before asked for.
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) requests.clear()
    requests.add(request)
  })
  page.on('requestfinished', (request) => requests.delete(request))
  // What refuses may have a text that nobody reads: then it never finishes.
  page.on('response', (response) => !response.ok() && requests.delete(response.request()))
  page.on('requestfailed', (request) => requests.delete(request))
  return page
}

/** Waits until a page has every answer that it asked for, and shows it. What is not there then will not come by itself. */
export async function settled(page: Page): Promise<void> {
  const requests = underWay.get(page)
  if (requests === undefined) throw new Error('The requests of this page are not watched.')
  await eventually(
    'the page has all answers, and shows them',
    async () => requests.size === 0 && (await hasDrawn(page)) && requests.size === 0,
    30,
  )
}

/** Lets the page draw what it has, and tells whether anything of it is still to come. */
const hasDrawn = (page: Page): Promise<boolean> =>
  page
    .evaluate<boolean>(
      "new Promise((done) => setTimeout(() => done(document.querySelector('.skel') === null), 100))",
    )
    // Another document has taken its place.
    .catch(() => false)

/** Reads a page again and again until it says what is expected; fails with the difference after ten seconds. */
export async function expectSoon<T>(read: () => T | Promise<T>, expected: unknown): Promise<void> {
  const deadline = performance.now() + 10_000
  for (;;) {
    const now = await read()
    try {
      return expect<unknown>(now).toEqual(expected)
    } catch (error) {
      if (performance.now() > deadline) throw error
    }
    await Bun.sleep(20)
  }
}

/** Expects how many there are of something, none included, once the page has all answers. */
export async function expectCount(what: Locator, count: number): Promise<void> {
  await settled(what.page())
  await expectSoon(() => what.count(), count)
}
