import { afterAll, expect, test } from 'bun:test'
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folder = await mkdtemp(join(tmpdir(), 'keyward-owner-'))
await chmod(folder, 0o755)
afterAll(() => rm(folder, { recursive: true }))

const script = `
  import { startTestServer } from ${JSON.stringify(join(import.meta.dir, 'server.ts'))}
  console.log((await startTestServer()).url)
  await Bun.sleep(60_000)`

async function isReachable(url: URL): Promise<boolean> {
  const connecting = Bun.connect({ hostname: url.hostname, port: Number(url.port), socket: { data() {} } })
  return await connecting.then(
    (socket) => {
      socket.end()
      return true
    },
    () => false,
  )
}

test('the server and its data are gone after its owner was killed', async () => {
  const env = { ...process.env, TMPDIR: folder }
  const owner = Bun.spawn([process.execPath, '-e', script], { env, stdout: 'pipe' })
  const { value } = await owner.stdout.getReader().read()
  const url = new URL(new TextDecoder().decode(value).trim())
  expect(await isReachable(url)).toBe(true)
  expect(await readdir(folder)).not.toEqual([])
  owner.kill('SIGKILL')
  const deadline = Date.now() + 15_000
  while ((await readdir(folder)).length > 0 && Date.now() < deadline) await Bun.sleep(50)
  expect(await readdir(folder)).toEqual([])
  expect(await isReachable(url)).toBe(false)
}, 60_000)
