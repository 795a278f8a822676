import { afterAll, expect, test } from 'bun:test'
import { openConsolePage } from '../../support/console-page.ts'

/** What the log answers, by cursor. */
const PAGES: Record<string, { data: { id: string }[]; nextCursor: string | null }> = {
  '': { data: [], nextCursor: 'second' },
  second: { data: [], nextCursor: 'third' },
  third: { data: [{ id: 'old' }], nextCursor: 'fourth' },
  fourth: { data: [], nextCursor: null },
}
let asked: string[] = []

const page = openConsolePage((request) => {
  const { searchParams } = new URL(request.url)
  asked.push(searchParams.toString())
  return Response.json(PAGES[searchParams.get('cursor') ?? ''])
})
const { readEntries } = await import('../../../src/frontend/app/audit/queries.ts')
const { collectEntries } = await import('../../../src/frontend/app/audit/export-file.ts')
const { endSession, startSession } = await import('../../../src/frontend/app/api/session.ts')
startSession({
  accessToken: page.bearer,
  expiresAt: new Date(Date.now() + 900_000).toISOString(),
  user: { id: 'ana' },
})

afterAll(async () => {
  await endSession()
  page[Symbol.dispose]()
})

test('a page without entries is passed over, with the same filters', async () => {
  asked = []
  const found = await readEntries({ event_type: 'secret.read', limit: 50 })
  expect(found).toEqual({ data: [{ id: 'old' }], nextCursor: 'fourth' } as never)
  expect(asked).toEqual(
    ['', 'second', 'third'].map(
      (cursor) => `event_type=secret.read&limit=50${cursor && `&cursor=${cursor}`}`,
    ),
  )
})

test('the last page is given without entries', async () => {
  expect(await readEntries({ cursor: 'fourth' })).toEqual({ data: [], nextCursor: null })
})

test('an export has what follows pages without entries', async () => {
  const { entries, isComplete } = await collectEntries({}, new AbortController().signal, () => {})
  expect([entries.map(({ id }) => id), isComplete]).toEqual([['old'], true])
})
