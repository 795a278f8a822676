import { afterAll, expect, test } from 'bun:test'
import { openConsolePage } from '../../support/console-page.ts'

let respond: (request: Request) => Response
const page = openConsolePage((request) => respond(request))
const { plainStore } = await import('../../../src/frontend/app/secrets/store.ts')
afterAll(() => page[Symbol.dispose]())

const exported = (path?: string) => plainStore('shop').export({ id: '1', name: 'Production' }, 'json', path)

test.each([
  // As the server sends what is above 256 KiB.
  ['in parts', { 'content-type': 'text/plain; charset=utf-8', 'transfer-encoding': 'chunked' }, 'A=1\n'],
  ['as JSON', { 'content-type': 'application/json' }, '{"A":   "1"}'],
  ['as YAML', { 'content-type': 'application/yaml' }, '"A": "1"\n'],
])('an exported file that comes %s is saved as it came', async (_, headers, text) => {
  let asked = ''
  respond = ({ url, headers: sent }) => {
    asked = `${url} ${sent.get('authorization')}`
    return new Response(text, { headers })
  }
  expect(await exported('/a b')).toBe(text)
  expect(asked).toBe(
    'http://localhost/v1/secrets/export?app_id=shop&env=Production&format=json&path=%2Fa+b Bearer the bearer',
  )
})

test('an export that is refused says why', async () => {
  respond = () =>
    Response.json({ error: 'Several paths.' }, { status: 400, headers: { 'x-request-id': 'r1' } })
  expect(await exported().catch((error) => error)).toMatchObject({
    name: 'ApiError',
    status: 400,
    message: 'Several paths.',
    requestId: 'r1',
  })
})
