import { expect, test } from 'bun:test'

const MIB = 1024 * 1024
const LIMIT = 256 * MIB

/** Keeps 120 MiB, makes much garbage beside it, and writes how many bytes the process took at most. */
const MAKE_GARBAGE = `
  let most = 0
  const kept = Array.from({ length: 120 }, () => new Uint8Array(${MIB}).fill(1))
  const queue = []
  for (let n = 0; n < 250; n++) {
    for (let i = 0; i < 4; i++) Array.from({ length: 10_000 }, (_, k) => ({ n: k, text: 'text ' + k }))
    queue.push(new Response('z'.repeat(200_000)))
    if (queue.length > 100) queue.shift()
    most = Math.max(most, process.memoryUsage.rss())
    await Bun.sleep(4)
  }
  console.log(kept.length > 0 && most)
`

async function mostBytes(before: string): Promise<number> {
  const child = Bun.spawn([process.execPath, '-e', `${before}\n${MAKE_GARBAGE}`])
  return Number(await new Response(child.stdout).text())
}

test('garbage is collected before the process reaches its limit, which it passes by itself', async () => {
  const module = JSON.stringify(`${import.meta.dir}/../../src/platform/garbage.ts`)
  const [alone, early] = await Promise.all([
    mostBytes(''),
    mostBytes(`import { collectGarbageEarly } from ${module}\ncollectGarbageEarly(${LIMIT})`),
  ])
  expect(alone).toBeGreaterThan(LIMIT)
  expect(early).toBeWithin(150 * MIB, LIMIT)
})
