import { expect, test } from 'bun:test'
import { join, relative } from 'node:path'
import type { BunPlugin } from 'bun'

const root = join(import.meta.dir, '..')
const KILOBYTE = 1024

/** The rules of the product, as the architecture test names them: the console asks them in the browser. */
async function rules(): Promise<string[]> {
  const patterns = ['src/core/*/policy.ts', 'src/core/{permissions,access,policy,errors}.ts']
  const found = await Promise.all(
    patterns.map((pattern) => Array.fromAsync(new Bun.Glob(pattern).scan(root))),
  )
  return found.flat().sort()
}

/** Bundles files for a browser; gives the text of the bundle, and which files and packages are in it. */
async function bundle(files: readonly string[]) {
  const loaded = new Set<string>()
  const entry = files.map((file, at) => `export * as rules${at} from '${join(root, file)}'`).join('\n')
  const plugin: BunPlugin = {
    name: 'what is loaded',
    setup: (build) => {
      build.onResolve({ filter: /^rules$/ }, () => ({ path: 'rules', namespace: 'entry' }))
      build.onLoad({ filter: /./, namespace: 'entry' }, () => ({ contents: entry, loader: 'ts' }))
      build.onLoad({ filter: /\.[cm]?[jt]sx?$/ }, async ({ path, loader }) => {
        loaded.add(relative(root, path))
        return { contents: await Bun.file(path).text(), loader }
      })
    },
  }
  const options = { target: 'browser', minify: true, throw: false } as const
  const built = await Bun.build({ ...options, entrypoints: ['rules'], plugins: [plugin] })
  return { built, loaded, text: built.success ? ((await built.outputs[0]?.text()) ?? '') : '' }
}

test('the rules of the product are bundled for a browser without anything else', async () => {
  const files = await rules()
  expect(files.length).toBeGreaterThan(10)
  const { built, loaded, text } = await bundle(files)
  expect(built.logs.map(({ message }) => message)).toEqual([])
  expect(files.filter((file) => !loaded.has(file))).toEqual([])
  const others = [...loaded].filter((file) => !files.includes(file))
  expect(others.filter((file) => !file.startsWith('src/core/'))).toEqual([])
  expect(text).not.toMatch(/\b(?:require|process|Bun|Buffer)\b|node:/)
  expect(text.length).toBeLessThan(40 * KILOBYTE)
})
