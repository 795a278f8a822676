import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { blocksByHeading } from '../cluster/support/kubernetes-guide.ts'
import { page, root } from './pages.ts'

test('every block of the Kubernetes guide is run by the cluster tier, but for building and pushing the image', () => {
  const tests = readFileSync(join(root, 'tests/cluster/kubernetes-guide.test.ts'), 'utf8')
  const uses = tests.matchAll(/\bguide\.(?:run|paste|start|values)\('([^']+)'(?:, (\d+))?/g)
  const used = new Set([...uses].map(([, heading, index = '0']) => `${heading} ${index}`))
  const printed = [...blocksByHeading(page('docs/kubernetes.md'))].flatMap(([heading, blocks]) =>
    blocks.map((_, index) => `${heading} ${index}`),
  )
  expect(printed).toContain('Install 0')
  expect([...used, 'Install 0'].sort()).toEqual(printed.toSorted())
})
