import { expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { mailPreviews } from '../../src/dev/mail-previews.ts'
import { sampleLetters } from '../../src/dev/sample-letters.ts'

const previews = mailPreviews()
const get = (path: string, host = 'localhost') => previews(new Request(`http://${host}${path}`))

test('every mail is listed, and shown as HTML and as plain text', async () => {
  const list = await (await get('/')).text()
  for (const [name, { subject }] of sampleLetters()) {
    expect(list).toContain(`href="/${name}"`)
    const html = await get(`/${name}`)
    expect(html.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(await html.text()).toContain(`<title>${subject}</title>`)
    expect(await (await get(`/${name}.txt`)).text()).toStartWith(subject)
  }
})

test('another path is 404, and another host than this computer 400', async () => {
  for (const path of ['/nothing', '/invite.pdf', '/../invite/x']) expect((await get(path)).status).toBe(404)
  expect((await get('/', 'evil.example')).status).toBe(400)
})

test('nothing but the script dev starts them: main.ts, which production begins with, does not import them', async () => {
  const root = join(import.meta.dir, '../..')
  const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const starting = Object.entries<string>(scripts).filter(([, command]) => command.includes('src/dev.ts'))
  expect(starting.map(([name]) => name)).toEqual(['dev'])
  const build = await Bun.build({ entrypoints: [join(root, 'src/main.ts')], target: 'bun', splitting: true })
  expect(build.success).toBe(true)
  for (const output of build.outputs) expect(await output.text()).not.toContain('Release engineer')
})
