import { describe, expect, test } from 'bun:test'
import { shellWord, usesOf } from '../../../src/frontend/app/tokens/uses.ts'

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
    expect(actions?.lines).toContain('phase run --app Ledger --env Production ./server')
    const [, , , , run] = (actions?.lines ?? '').split('\n')
    expect(run).toStartWith('      phase run')
  })

  test('hold no expression of GitHub Actions that somebody has hidden in a name', async () => {
    const name = '$' + '{{ secrets.OTHER }}'
    const use = usesOf('phase', 'https://keys.example', place(name)).find(({ value }) => value === 'actions')
    const line = use?.lines.split('\n').find((line) => line.includes('phase run')) ?? ''
    expect(line).not.toContain('$' + '{{')
    const command = line.replace('phase run --app', "printf '%s\\n'").replace(/ --env .*/, '')
    expect(await Bun.$`sh -c ${command}`.text()).toBe(`${name}\n`)
  })
})
