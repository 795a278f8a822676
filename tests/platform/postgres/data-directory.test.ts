import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { clusterDirectory, openDataDirectory } from '../../../src/platform/postgres/data-directory.ts'
import { startProcess } from '../../support/process.ts'

const script = new URL('../../support/data-directory-process.ts', import.meta.url)
const names = ['DATABASE_PASSWORD', 'REDIS_PASSWORD', 'SECRET_KEY', 'SERVER_SECRET']
let parent: string
let path: string

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'keyward-data-'))
  path = join(parent, 'deep', 'data')
})
afterEach(() => rm(parent, { recursive: true, force: true }))

async function openAndRelease(at = path) {
  const directory = await openDataDirectory(at)
  await directory.release()
  return directory
}

async function makeCluster() {
  await mkdir(clusterDirectory(path), { recursive: true })
  await writeFile(join(clusterDirectory(path), 'PG_VERSION'), '18\n')
}

describe('secrets', () => {
  test('the first start makes the directory and four different secrets that nobody else can read', async () => {
    const { secrets, firstStart } = await openAndRelease()
    expect(firstStart).toBe(true)
    expect(Object.keys(secrets).sort()).toEqual(names)
    expect(new Set(Object.values(secrets)).size).toBe(4)
    for (const secret of Object.values(secrets)) expect(secret).toMatch(/^[0-9a-f]{64}$/)
    expect((await stat(path)).mode & 0o777).toBe(0o700)
    expect((await stat(join(path, 'secrets'))).mode & 0o777).toBe(0o700)
    expect((await readdir(join(path, 'secrets'))).sort()).toEqual(names)
    for (const name of names) expect((await stat(join(path, 'secrets', name))).mode & 0o777).toBe(0o600)
  })

  test('later starts find the same secrets', async () => {
    const { secrets } = await openAndRelease()
    await makeCluster()
    expect(await openAndRelease()).toMatchObject({ secrets, firstStart: false })
  })

  test('a directory that was there already keeps its mode', async () => {
    await mkdir(path, { recursive: true })
    await chmod(path, 0o750)
    await openAndRelease()
    expect((await stat(path)).mode & 0o777).toBe(0o750)
  })

  test('a first start that crashed midway is completed by the next one', async () => {
    const { secrets } = await openAndRelease()
    await rm(join(path, 'secrets', 'SERVER_SECRET'))
    await writeFile(join(path, 'secrets', '.SERVER_SECRET.new'), 'half')
    const second = await openAndRelease()
    expect(second.secrets.SECRET_KEY).toBe(secrets.SECRET_KEY)
    expect(second.secrets.SERVER_SECRET).toMatch(/^[0-9a-f]{64}$/)
    expect((await readdir(join(path, 'secrets'))).sort()).toEqual(names)
  })

  test.each(names)('a database without its %s is refused, and nothing is generated', async (name) => {
    await openAndRelease()
    await makeCluster()
    await rm(join(path, 'secrets', name))
    await expect(openDataDirectory(path)).rejects.toThrow(
      `The data directory ${path} has a database, but secrets/${name} is missing. Put back from your backup`,
    )
    expect(await readdir(join(path, 'secrets'))).not.toContain(name)
  })

  test('a secret file with anything else in it is refused without being shown', async () => {
    await openAndRelease()
    const file = join(path, 'secrets', 'SECRET_KEY')
    await writeFile(file, 'correct horse battery staple')
    const error = await openDataDirectory(path).catch((caught) => caught)
    expect(error.message).toStartWith(`The secret file ${file} does not hold 64 hexadecimal characters`)
    expect(error.message).not.toContain('horse')
    expect(await readFile(file, 'utf8')).toBe('correct horse battery staple')
  })
})

describe('one process per directory', () => {
  const inUse = () => `Another Keyward is running on the data directory ${path}: stop it first`

  test('a second opening is refused until the first is released', async () => {
    const first = await openDataDirectory(path)
    await expect(openDataDirectory(path)).rejects.toThrow(inUse())
    // A refused attempt leaves the first one's lock alone.
    await expect(openDataDirectory(path)).rejects.toThrow(inUse())
    expect((await startProcess(script, [path, 'lock'])).line.error).toStartWith(inUse())
    await first.release()
    await openAndRelease()
  })

  test('another name of the same directory does not get around the lock', async () => {
    const first = await openDataDirectory(path)
    const alias = join(parent, 'alias')
    await symlink(path, alias)
    await expect(openDataDirectory(alias)).rejects.toThrow(inUse())
    await first.release()
  })

  test('of four processes that start at the same instant one wins', async () => {
    const processes = await Promise.all([1, 2, 3, 4].map(() => startProcess(script, [path, 'lock'])))
    const errors = processes.map(({ line }) => line.error).filter((error) => error !== undefined)
    expect(errors.length).toBe(3)
    for (const error of errors) expect(error).toStartWith(inUse())
    for (const { child } of processes) child.stdin?.end()
    await Promise.all(processes.map(({ exited }) => exited))
  })

  test('the lock of a killed process is free at once', async () => {
    const { child, line, exited } = await startProcess(script, [path, 'lock'])
    expect(line).toEqual({})
    child.kill('SIGKILL')
    await exited
    await openAndRelease()
  })
})

test('a path that cannot be a directory is named in the error', async () => {
  const file = join(parent, 'file')
  await writeFile(file, '')
  await expect(openDataDirectory(join(file, 'data'))).rejects.toThrow(
    `Keyward cannot use the data directory ${join(file, 'data')} (ENOTDIR)`,
  )
  await expect(openDataDirectory(file)).rejects.toThrow(`Keyward cannot use the data directory ${file}`)
})
