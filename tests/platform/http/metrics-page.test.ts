import { expect, test } from 'bun:test'
import { metricsPage } from '../../../src/platform/http/metrics-page.ts'
import { setTurnToBegin } from '../../../src/platform/http/turn-to-begin.ts'

test('the page of metrics waits for its turn to begin', async () => {
  let isMade = false
  const page = metricsPage(async () => {
    isMade = true
    return 'up 1\n'
  })
  const request = new Request('http://localhost/metrics')
  setTurnToBegin(request, async () => new Response(null, { status: 429 }))
  expect([(await page(request)).status, isMade]).toEqual([429, false])
  expect(await (await page(new Request('http://localhost/metrics'))).text()).toBe('up 1\n')
})
