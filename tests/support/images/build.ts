/**
 * The images that tests run: Keyward's own, built from this checkout, and those that it is built and tested with.
 * The latter are pulled where a registry can be reached, else made of Debian's packages and the Bun at hand.
 *
 *   bun tests/support/images/build.ts [keyward] [postgres] [redis]      all of them without a name
 */
import { chmod, copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folder = import.meta.dir
const root = join(folder, '..', '..', '..')

const VARIABLES = {
  keyward: 'KEYWARD_TEST_IMAGE',
  postgres: 'KEYWARD_TEST_POSTGRES_IMAGE',
  redis: 'KEYWARD_TEST_REDIS_IMAGE',
  bun: 'KEYWARD_TEST_BUN_IMAGE',
  runtime: 'KEYWARD_TEST_RUNTIME_IMAGE',
} as const

const nameOf = (what: keyof typeof VARIABLES, otherwise: string) => process.env[VARIABLES[what]] || otherwise

/** Whether the environment names an image that is here or can be pulled: it is left as it is. */
const isNamed = (what: keyof typeof VARIABLES) => Boolean(process.env[VARIABLES[what]])

/** The names under which tests find the images. */
export const images = {
  keyward: nameOf('keyward', 'keyward:test'),
  postgres: nameOf('postgres', 'keyward-test/postgres:local'),
  redis: nameOf('redis', 'keyward-test/redis:local'),
  bun: nameOf('bun', 'keyward-test/bun:local'),
  runtime: nameOf('runtime', 'keyward-test/debian:local'),
} as const

export type ImageName = 'keyward' | 'postgres' | 'redis'

/** Makes the named images, unless they are there; Keyward's is always brought up to date with the checkout. */
export async function prepareImages(...names: readonly ImageName[]): Promise<void> {
  for (const name of names) await recipes[name]()
}

/** Builds Keyward from another folder, such as a copy of the checkout with a change, under another name. */
export async function buildKeyward(name: string, context = root): Promise<void> {
  const bases = [`BUN_IMAGE=${images.bun}`, `RUNTIME_IMAGE=${images.runtime}`]
  await bun()
  await runtime()
  await build(name, context, join(context, 'Dockerfile'), bases)
}

/** Whether an image is here, or can be had from a registry. */
export const canPull = async (name: string): Promise<boolean> =>
  (await succeeds('image', 'inspect', name)) || (await succeeds('pull', '--quiet', name))

const runtime = () => provide('runtime', 'debian:12-slim', debian)
const bun = () => provide('bun', `oven/bun:${Bun.version}-slim`, bunFromHere)

const recipes: Readonly<Record<ImageName, () => Promise<void>>> = {
  keyward: () => (isNamed('keyward') ? take(images.keyward) : buildKeyward(images.keyward)),
  postgres: () => provide('postgres', 'postgres:18', () => fromDebian('postgres')),
  redis: () => provide('redis', 'redis:8', () => fromDebian('redis')),
}

/** Takes the image that is there, else the published one, else makes it. */
async function provide(what: keyof typeof images, published: string, make: () => Promise<void>) {
  const name = images[what]
  if (isNamed(what)) await take(name)
  else if (await succeeds('image', 'inspect', name)) return
  else if (await succeeds('pull', '--quiet', published)) await docker('tag', published, name)
  else await make()
}

async function take(name: string): Promise<void> {
  if (!(await canPull(name))) throw new Error(`The image ${name} is not here, and it cannot be pulled.`)
}

/** The smallest Debian that debootstrap makes, without what only people read. */
async function debian(): Promise<void> {
  if (process.getuid?.() !== 0 || Bun.which('debootstrap') === null) {
    throw new Error(
      'No base image can be pulled, and to make one takes debootstrap (apt-get install debootstrap) and root. ' +
        'Or name one that is here: KEYWARD_TEST_RUNTIME_IMAGE.',
    )
  }
  await inFolder(async (work) => {
    await run([
      'debootstrap',
      '--variant=minbase',
      '--include=ca-certificates',
      'bookworm',
      join(work, 'root'),
    ])
    const without = [
      'usr/share/doc',
      'usr/share/man',
      'usr/share/locale',
      'var/cache/apt',
      'var/lib/apt/lists',
    ]
    const excluded = without.map((path) => `--exclude=./${path}/*`).join(' ')
    await run([
      'sh',
      '-c',
      `tar -C '${work}/root' ${excluded} -c . | docker import --change 'CMD ["bash"]' - '${images.runtime}'`,
    ])
  })
}

async function bunFromHere(): Promise<void> {
  await runtime()
  await inFolder(async (work) => {
    await copyFile(process.execPath, join(work, 'bun'))
    await chmod(join(work, 'bun'), 0o755)
    const certificates = Bun.file('/etc/ssl/certs/ca-certificates.crt')
    await writeFile(
      join(work, 'certificates.pem'),
      (await certificates.exists()) ? await certificates.text() : '',
    )
    await build(images.bun, work, join(folder, 'bun.Dockerfile'), [`DEBIAN=${images.runtime}`])
  })
}

async function fromDebian(name: 'postgres' | 'redis'): Promise<void> {
  await runtime()
  await build(images[name], folder, join(folder, `${name}.Dockerfile`), [`DEBIAN=${images.runtime}`])
}

const PROXY_VARIABLES = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy']

async function build(name: string, context: string, file: string, values: readonly string[]): Promise<void> {
  const proxies = PROXY_VARIABLES.filter((variable) => process.env[variable])
  const given = [...values, ...proxies].flatMap((value) => ['--build-arg', value])
  await docker('build', '--quiet', '--tag', name, '--file', file, ...given, context)
}

async function inFolder(work: (path: string) => Promise<void>): Promise<void> {
  const path = await mkdtemp(join(tmpdir(), 'keyward-images-'))
  await work(path).finally(() => rm(path, { recursive: true, force: true }))
}

const docker = (...args: string[]) => run(['docker', ...args])

const succeeds = (...args: string[]) =>
  run(['docker', ...args]).then(
    () => true,
    () => false,
  )

async function run(command: readonly string[]): Promise<void> {
  const child = Bun.spawn([...command], { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text()])
  if ((await child.exited) === 0) return
  throw new Error(`${command.slice(0, 2).join(' ')} failed:\n${output}${errors}`)
}

if (import.meta.main) {
  const asked = process.argv.slice(2).filter((word): word is ImageName => Object.hasOwn(recipes, word))
  for (const name of asked.length > 0 ? asked : (['keyward', 'postgres', 'redis'] as const)) {
    const started = performance.now()
    await prepareImages(name)
    console.log(`${images[name]} (${((performance.now() - started) / 1000).toFixed(1)} s)`)
  }
}
