// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references are written so
import { afterAll, expect, test } from 'bun:test'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { renderToStaticMarkup } from 'react-dom/server'
import { openConsolePage } from '../../support/console-page.ts'

const page = openConsolePage(() => Response.json({ data: [] }))
const { GridContext } = await import('../../../src/frontend/app/secrets/grid.ts')
const { ValueText } = await import('../../../src/frontend/app/secrets/value-text.tsx')
afterAll(() => page[Symbol.dispose]())

const staging = { id: 's', name: 'Staging' }
const grid = { appId: 'ledger', environments: [staging], rows: new Map() } as never

const shown = (value: string): string =>
  renderToStaticMarkup(
    <QueryClientProvider client={new QueryClient()}>
      <GridContext value={grid}>
        <ValueText value={value} environment={staging} />
      </GridContext>
    </QueryClientProvider>,
  )

test.each(['${Shop::Staging.KEY}', '${KEY}'])(
  'of thousands of %s in a value, most are plain text',
  (written) => {
    expect(shown(written.repeat(50)).split('class="ref').length - 1).toBe(50)
    const html = shown(`begin ${written.repeat(3_000)} end`)
    expect(html.split('class="ref').length - 1).toBe(199)
    expect(html).toEndWith(`${written} end</span>`)
    expect(html.split(written).length - 1).toBe(3_000)
  },
)
