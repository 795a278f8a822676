import { expect, test } from 'bun:test'
import { join } from 'node:path'

const entry = join(import.meta.dir, '../../../src/main.ts')

test('no program loads React or a template as it starts: the first mail does', async () => {
  const { outputs } = await Bun.build({ entrypoints: [entry], target: 'bun', splitting: true })
  const texts = new Map(
    await Promise.all(
      outputs.map(async (output) => [output.path.split('/').at(-1) ?? '', await output.text()] as const),
    ),
  )
  const start =
    outputs
      .find(({ kind }) => kind === 'entry-point')
      ?.path.split('/')
      .at(-1) ?? ''
  const atStart = new Set<string>()
  const visit = (name: string) => {
    if (atStart.has(name)) return
    atStart.add(name)
    for (const [, next = ''] of (texts.get(name) ?? '').matchAll(/(?:from|^import)\s*"\.\/([^"]+)"/gm))
      visit(next)
  }
  visit(start)
  const holds = (part: string) => [...texts].flatMap(([name, text]) => (text.includes(part) ? [name] : []))
  for (const part of ['x-apple-disable-message-reformatting', 'react-dom/cjs/', 'html-to-text/']) {
    expect(holds(part).length, part).toBeGreaterThan(0)
    for (const name of holds(part)) expect(atStart).not.toContain(name)
  }
})
