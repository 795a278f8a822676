import { afterAll, expect, test } from 'bun:test'
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import packageJson from '../../../package.json' with { type: 'json' }

const root = join(import.meta.dir, '../../..')
const driver = join(root, 'src/platform/postgres/driver')
const patch = join(root, `patches/postgres@${packageJson.dependencies.postgres}.patch`)
const folder = await mkdtemp(join(tmpdir(), 'keyward-driver-'))

afterAll(() => rm(folder, { recursive: true, force: true }))

test('the driver is the package that package.json names, with our patch and nothing else', async () => {
  await cp(join(root, 'node_modules/postgres/src'), join(folder, 'src'), { recursive: true })
  const applied = Bun.spawnSync(['git', 'apply', patch], {
    cwd: folder,
    env: { GIT_CEILING_DIRECTORIES: tmpdir() },
  })
  expect(applied.stderr.toString()).toBe('')
  const names = (await readdir(join(folder, 'src'))).sort()
  if (process.env.UPDATE) await cp(join(folder, 'src'), driver, { recursive: true })
  expect((await readdir(driver)).filter((name) => name.endsWith('.js')).sort()).toEqual(names)
  for (const name of names) {
    const patched = await readFile(join(folder, 'src', name), 'utf8')
    expect(await readFile(join(driver, name), 'utf8'), name).toBe(patched)
  }
})
