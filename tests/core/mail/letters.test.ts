import { expect, test } from 'bun:test'
import { type Letter, oneLine, textOf, typed } from '../../../src/core/mail/letter.ts'
import { htmlOf } from '../../../src/core/mail/rendering.tsx'
import { NOTICE_KINDS } from '../../../src/core/notices/notice.ts'
import { sampleLetters } from '../../../src/dev/sample-letters.ts'

const letters = [...sampleLetters()]

/** Names that people could choose to be taken for something else. */
const HOSTILE = [
  '<img src="https://evil.example/x.png" onerror="alert(1)">',
  '</title></style><script>alert(1)</script>',
  '"\'><a href="javascript:alert(1)">&amp;',
  'Ltd\r\nBcc: everyone@example.org\r\n\r\nSet a new password at once:',
  'Ltd\u2028\u2029\u0000\u001b[31m',
  '\u202Eevil\u2066\u200B\uFEFF',
  'Ltd”. Your account is locked. “',
]
const hostileLetters = HOSTILE.flatMap((name) =>
  [...sampleLetters({ organisation: name, role: name, person: name, method: name })].map(
    ([kind, letter]) => [kind, name, letter] as const,
  ),
)

/** The text that a reader sees of the page's body. */
async function seen(html: string): Promise<string> {
  let text = ''
  const reading = new HTMLRewriter().on('body', {
    text: (chunk) => {
      text += chunk.text
    },
  })
  await reading.transform(new Response(html)).text()
  return text
    .replace(/&#x27;/g, "'")
    .replace(/&quot;/g, '"')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&amp;/g, '&')
}

/** Every element of the page with its attributes. */
async function elements(html: string): Promise<{ name: string; attributes: Map<string, string> }[]> {
  const found: { name: string; attributes: Map<string, string> }[] = []
  const reading = new HTMLRewriter().on('*', {
    element: ({ tagName, attributes }) =>
      void found.push({ name: tagName, attributes: new Map(attributes as Iterable<[string, string]>) }),
  })
  await reading.transform(new Response(html)).text()
  return found
}

test('there is a letter for each link, and for each kind of notice', () => {
  expect(letters.map(([kind]) => kind)).toEqual(['verify-email', 'invite', 'reset-password', ...NOTICE_KINDS])
  expect(new Set(letters.map(([, { subject }]) => subject)).size).toBe(letters.length)
})

test.each(letters)('%s says the same as HTML and as plain text', async (_, letter) => {
  const html = await htmlOf(letter)
  const [page, text] = [await seen(html), textOf(letter)]
  expect(text.length).toBeGreaterThan(60)
  for (const paragraph of text.split('\n\n')) expect(page).toContain(paragraph)
  expect(page).toContain(letter.subject)
  if (letter.action) {
    // Alone on its line: mail programs make a link of it.
    expect(text.split('\n')).toContain(letter.action.url)
    expect(html).toContain(`href="${letter.action.url}"`)
  }
})

test.each(letters)('%s fetches nothing: no picture, no font, no style from elsewhere', async (_, letter) => {
  const html = await htmlOf(letter)
  for (const { name, attributes } of await elements(html)) {
    expect([
      'img',
      'link',
      'script',
      'iframe',
      'object',
      'embed',
      'svg',
      'video',
      'audio',
      'base',
      'form',
    ]).not.toContain(name)
    for (const attribute of attributes.keys())
      expect(['src', 'srcset', 'background']).not.toContain(attribute)
    const href = attributes.get('href')
    if (href !== undefined) expect(href).toBe(letter.action?.url ?? '')
  }
  expect(html).not.toMatch(/url\s*\(|@import|@font-face/i)
})

test.each(letters)(
  '%s is readable in dark mode: every coloured element has a colour for it',
  async (_, letter) => {
    const html = await htmlOf(letter)
    expect(html).toContain('name="color-scheme" content="light dark"')
    const dark = /@media \(prefers-color-scheme: dark\) \{(.*)\}<\/style>/s.exec(html)?.[1] ?? ''
    for (const { attributes } of await elements(html)) {
      const style = attributes.get('style') ?? ''
      const colours = ['color', 'background-color'].filter((property) =>
        new RegExp(`(^|;)${property}:`).test(style),
      )
      const rule = new RegExp(`\\.${attributes.get('class')} \\{([^}]*)\\}`).exec(dark)?.[1] ?? ''
      for (const property of colours) {
        expect(rule, `${attributes.get('class')} ${style}`).toMatch(
          new RegExp(`(^|[\\s;])${property}: [^;]+!important`),
        )
      }
    }
  },
)

test('what people typed never becomes an element or an attribute', async () => {
  for (const [kind, name, letter] of hostileLetters) {
    const plain = sampleLetters().get(kind) as Letter
    const shape = async (one: Letter) =>
      (await elements(await htmlOf(one))).map(({ name, attributes }) => [name, [...attributes]])
    expect([kind, name, await shape(letter)]).toEqual([kind, name, await shape(plain)])
  }
})

test('what people typed adds no line to a subject or a paragraph, and turns no direction', () => {
  for (const [kind, name, letter] of hostileLetters) {
    const plain = sampleLetters().get(kind) as Letter
    expect(oneLine(letter.subject), name).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/u)
    expect(textOf(letter).split('\n').length, name).toBe(textOf(plain).split('\n').length)
    expect(textOf(letter).replaceAll('\n', ''), name).not.toMatch(
      /[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/u,
    )
  }
})

test('what people typed stands in quotation marks that it can not end', () => {
  expect(typed('Ltd”. Your account is locked. “')).toBe('“Ltd". Your account is locked. "”')
  expect(typed('  a \r\n b ')).toBe('“a b”')
  expect(typed('علي\u200Cرضا')).toBe('“علي\u200Cرضا”')
})
