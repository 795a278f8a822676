import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { page, root } from './pages.ts'

/** Events whose names the source puts together. */
const COMPOSED = [
  ...['app', 'environment'].flatMap((thing) =>
    ['created', 'updated', 'deleted'].map((verb) => `${thing}.${verb}`),
  ),
  ...['member', 'service_account'].map((thing) => `${thing}.access_changed`),
]

const EVENT =
  /'((?:app|environment|invite|member|organisation|role|service_account|session|token|user)\.[a-z_]+)'/g

test('every event of the audit log is listed, and no other', () => {
  const texts = [...new Bun.Glob('src/core/**/*.ts').scanSync(root)].map((file) =>
    readFileSync(join(root, file), 'utf8'),
  )
  const written = texts.flatMap((text) => [...text.matchAll(EVENT)].map(([, name]) => name ?? ''))
  const listed = page('docs/events.md')
    .split('\n')
    .flatMap((line) => /^\| (`[^|]*`) \|/.exec(line)?.[1] ?? [])
    .flatMap((cell) => [...cell.matchAll(/`([a-z_]+\.[a-z_]+)`/g)].map(([, name]) => name ?? ''))
  expect(listed.toSorted()).toEqual([...new Set([...written, ...COMPOSED])].sort())
})
