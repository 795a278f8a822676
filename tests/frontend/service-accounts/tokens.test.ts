import { describe, expect, test } from 'bun:test'
import { placesOf, summaryOf } from '../../../src/frontend/app/service-accounts/places.ts'
import {
  endOf,
  endsSoon,
  isExpired,
  shellWord,
  usesOf,
} from '../../../src/frontend/app/service-accounts/tokens.ts'

const NOW = Date.parse('2026-11-21T12:00:00Z')
const inDays = (days: number) => ({ expiresAt: new Date(NOW + days * 86_400_000).toISOString() })

describe('the end of a token', () => {
  test('has passed, comes within two weeks, or later, or never', () => {
    const marks = [inDays(-1), inDays(0), inDays(13), inDays(15), { expiresAt: null }]
    expect(marks.map((token) => isExpired(token, NOW))).toEqual([true, true, false, false, false])
    expect(marks.map((token) => endsSoon(token, NOW))).toEqual([false, false, true, false, false])
  })

  test('is some days from now, the end of a day, none, or still to be chosen', () => {
    expect(endOf('30', '', NOW)?.getTime()).toBe(NOW + 30 * 86_400_000)
    expect(endOf('day', '2027-02-19', NOW)).toEqual(new Date(2027, 1, 19, 23, 59, 59))
    expect(endOf('never', '', NOW)).toBeNull()
    expect(endOf('day', '', NOW)).toBeUndefined()
  })
})

describe('the lines that use a token', () => {
  const place = (app: string) => ({ app, appId: 'a1', environment: 'Production' })

  test('never run what an app is called', async () => {
    const name = 'Ledger\'; touch /tmp/pwned; \'$(id) `id` "x"'
    const lines = usesOf('phase', 'https://keys.example', place(name))[0]?.lines.split('\n') ?? []
    const command =
      lines
        .at(-1)
        ?.replace('phase run --app', "printf '%s\\n'")
        .replace(/ --env .*/, '') ?? ''
    expect(await Bun.$`sh -c ${command}`.text()).toBe(`${name}\n`)
    expect(shellWord('Ledger')).toBe('Ledger')
  })

  test('hold the host and the place, and no token', () => {
    for (const format of ['phase', 'keyward'] as const) {
      for (const { lines } of usesOf(format, 'https://keys.example', place('Ledger'))) {
        expect(lines).toContain('https://keys.example'.slice(format === 'phase' ? 0 : 8))
        expect(lines).not.toMatch(/pss_service|kw_sat_/)
      }
    }
    const actions = usesOf('phase', 'https://keys.example', place('Ledger')).find(
      ({ value }) => value === 'actions',
    )
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax of GitHub Actions
    expect(actions?.lines).toContain('PHASE_SERVICE_TOKEN: ${{ secrets.KEYWARD_TOKEN }}')
  })
})

describe('what a service account opens, in short', () => {
  const app = (name: string, ...environments: string[]) => ({
    id: name,
    name,
    environments: environments.map((name) => ({ name })),
  })

  test('says the environments and apps as long as they are few', () => {
    expect(summaryOf([])).toBe('nothing yet')
    expect(summaryOf([app('Ledger', 'Production')])).toBe('Production of Ledger')
    expect(summaryOf([app('A', 'Production'), app('B', 'Production')])).toBe('Production of A and B')
    expect(summaryOf([app('Ledger', 'Staging', 'Production')])).toBe('Staging and Production of Ledger')
    expect(summaryOf([app('A', 'Staging', 'Production'), app('B', 'Production')])).toBe(
      '3 environments of 2 apps',
    )
  })

  test('gives examples of its own, or names that say what goes there', () => {
    expect(placesOf([app('Ledger', 'Staging')])).toEqual({
      app: 'Ledger',
      appId: 'Ledger',
      environment: 'Staging',
    })
    expect(placesOf([]).appId).toBe('ID-OF-THE-APP')
  })
})
