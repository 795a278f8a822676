import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { anchors, links } from '../support/markdown.ts'
import { pages, root } from './pages.ts'

/** Links of a page that lead nowhere in the repository; addresses elsewhere are not asked. */
function brokenLinks(page: string, text: string, read: (path: string) => string | null): string[] {
  return links(text).flatMap(({ target, line }) => {
    if (/^[a-z]+:/.test(target)) return []
    const [file = '', anchor] = target.split('#')
    const path = file === '' ? page : normalize(join(dirname(page), file))
    const found = path === page ? text : read(path)
    if (found === null) return [`${page}:${line} links to ${path}, which does not exist.`]
    const leads = anchor === undefined || anchors(found).includes(anchor)
    return leads ? [] : [`${page}:${line} links to #${anchor}, which ${path} does not have.`]
  })
}

test.each([...pages.keys()])('every link in %s leads to a page and a heading that exist', (page) => {
  const read = (path: string) => (existsSync(join(root, path)) ? (pages.get(path) ?? '') : null)
  expect(brokenLinks(page, pages.get(page) ?? '', read)).toEqual([])
})

test('every page of docs/ is listed in the README', () => {
  const listed = links(pages.get('README.md') ?? '').map(({ target }) => target.split('#')[0])
  const missing = [...pages.keys()].filter((page) => page.startsWith('docs/') && !listed.includes(page))
  expect(missing).toEqual([])
})

test('the README is short enough to be read', () => {
  expect(readFileSync(join(root, 'README.md'), 'utf8').split('\n').length).toBeLessThan(200)
})

test('broken links are found, and code is no link', () => {
  const files: Record<string, string> = { 'docs/a.md': '# Über A & B\n## C\n## C\n```sh\n# D\n```\n' }
  const read = (path: string) => files[path] ?? null
  const broken = (text: string) => brokenLinks('docs/b.md', text, read)
  expect(broken('[a](a.md#über-a--b) [c](./a.md#c-1) [top](#here) `[x](y.md)`\n# Here')).toEqual([])
  expect(broken('[w](https://example.org/none)\n```md\n[x](y.md)\n```')).toEqual([])
  expect(broken('one\n[d](a.md#d)')).toEqual(['docs/b.md:2 links to #d, which docs/a.md does not have.'])
  expect(broken('[e](../a.md)')).toEqual(['docs/b.md:1 links to a.md, which does not exist.'])
})
