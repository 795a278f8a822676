import { expect, test } from 'bun:test'
import { renderToStaticMarkup } from 'react-dom/server'
import type { Version } from '../../../src/frontend/app/secrets/version.ts'
import { VersionDifference } from '../../../src/frontend/app/secrets/version-difference.tsx'

const shown = (lines: number): string => {
  const version = {
    type: 'config',
    tags: [],
    expiresAt: null,
    value: '\n'.repeat(lines),
  } as object as Version
  const environment = { id: 's', name: 'Staging' }
  return renderToStaticMarkup(
    <VersionDifference
      appId="ledger"
      environment={environment}
      before={null}
      after={version}
      isShown={false}
    />,
  )
}
const drawn = (html: string): number => html.split('<div class=""').length - 1

test('of a value with very many lines, the first are drawn, and a button for all', () => {
  expect(drawn(shown(2_000))).toBe(2_000)
  expect(shown(2_000)).not.toContain('Show all')
  const html = shown(3_000)
  expect(drawn(html)).toBe(2_000)
  expect(html).toContain('Show all 3000 lines')
})
