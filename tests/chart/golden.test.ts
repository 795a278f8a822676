import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { YAML } from 'bun'
import { expectGenerated } from '../support/generated.ts'
import { HELMS, type HelmVersion, parse, renderText, type Values } from './helm.ts'

describe.each(['evaluation', 'production', 'gateway'])('the values of %s', (name) => {
  const values = YAML.parse(readFileSync(join(import.meta.dir, `values/${name}.yaml`), 'utf8')) as Values
  const golden = join(import.meta.dir, `golden/${name}.yaml`)

  test('render as they did before', async () => {
    await expectGenerated(golden, masked(renderText(values)))
  })

  test.each(Object.keys(HELMS) as HelmVersion[])('render alike by %s', (version) => {
    const [ours, golden4] = [
      parse(masked(renderText(values, { helm: version }))),
      parse(readFileSync(golden, 'utf8')),
    ]
    expect(byName(ours)).toEqual(byName(golden4))
  })
})

/** Generated values differ each time; blank lines differ between versions of Helm. */
function masked(text: string): string {
  return text.replace(/^( {2}[A-Z_]+: )[A-Za-z0-9+/]{86}==$/gm, '$1generated').replace(/\n+(?=\n)/g, '')
}

const byName = (objects: ReturnType<typeof parse>) =>
  Object.fromEntries(objects.map((object) => [`${object.kind} ${object.metadata.name}`, object]))
