import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildKeyward, images } from '../../support/images/build.ts'
import type { Values } from './release.ts'

/** The image under test; one with a further, harmless migration; one with a migration after it that fails. */
export type ImageVariant = 'test' | 'next' | 'broken'

/** The name of a variant: that of the image under test, with a suffix. */
export const imageName = (variant: ImageVariant) =>
  variant === 'test' ? images.keyward : `${images.keyward}-${variant}`

/** The chart's values that name the images of this tier. */
export function imageValues(variant: ImageVariant): Values {
  return {
    image: split(imageName(variant)),
    postgres: { image: split(images.postgres) },
    redis: { image: split(images.redis) },
  }
}

/** Builds the two variants from copies of what the image is built of, with the migrations added. */
export async function buildVariants(): Promise<void> {
  const context = await mkdtemp(join(tmpdir(), 'keyward-context-'))
  try {
    for (const entry of CONTEXT) await cp(join(root, entry), join(context, entry), { recursive: true })
    for (const variant of ['next', 'broken'] as const) {
      await addMigration(context, MIGRATIONS[variant])
      await buildKeyward(imageName(variant), context)
    }
  } finally {
    await rm(context, { recursive: true, force: true })
  }
}

const root = new URL('../../../', import.meta.url).pathname

const CONTEXT = [
  '.dockerignore',
  'Dockerfile',
  'LICENSE',
  'bun.lock',
  'bunfig.toml',
  'migrations',
  'package.json',
  'src',
  'tsconfig.json',
]

const MIGRATIONS = {
  next: { name: 'only_for_tests', sql: 'create table only_for_tests (id int primary key);\n' },
  broken: { name: 'fails', sql: 'alter table no_such_table add column never int;\n' },
}

async function addMigration(context: string, { name, sql }: { name: string; sql: string }): Promise<void> {
  const folder = join(context, 'migrations')
  await mkdir(folder, { recursive: true })
  const number = (await readdir(folder)).filter((file) => file.endsWith('.sql')).length + 1
  await writeFile(join(folder, `${String(number).padStart(4, '0')}_${name}.sql`), sql)
}

function split(image: string): { repository: string; tag: string } {
  const colon = image.lastIndexOf(':')
  if (colon <= image.lastIndexOf('/')) throw new Error(`The image ${image} must be named with its tag.`)
  return { repository: image.slice(0, colon), tag: image.slice(colon + 1) }
}
