import { expect, test } from 'bun:test'

const MIB = 1024 * 1024
const LIMIT = 256 * MIB

/** Keeps 120 MiB, and makes much garbage beside it. */
const MAKE_GARBAGE = `
  const kept = Array.from({ length: 120 }, () => new Uint8Array(${MIB}).fill(1))
  const queue = []
  for (let n = 0; n < 400; n++) {
    for (let i = 0; i < 2; i++) Array.from({ length: 10_000 }, (_, k) => ({ n: k, text: 'text ' + k }))
    queue.push(new Response('z'.repeat(200_000)))
    if (queue.length > 100) queue.shift()
    await Bun.sleep(8)
  }
  process.exit(kept.length === 120 ? 0 : 1)
`

/** The most bytes that a process takes which runs `before`, and then makes garbage. */
async function mostBytes(before: string): Promise<number> {
  const child = Bun.spawn([process.execPath, '-e', `${before}\n${MAKE_GARBAGE}`])
  expect(await child.exited).toBe(0)
  return Number(child.resourceUsage()?.maxRSS)
}

const PLATFORM = JSON.stringify(`${import.meta.dir}/../../src/platform`).slice(1, -1)

const COLLECT = `
  import { collectGarbageEarly } from '${PLATFORM}/garbage.ts'
  collectGarbageEarly(${LIMIT})
`

const USE_UP_FILES = `
  import { openSync } from 'node:fs'
  import { openLibc } from '${PLATFORM}/libc-bun.ts'
  import { limitOpenFiles } from '${PLATFORM}/system-limits.ts'
  limitOpenFiles(openLibc(), 64)
  let isFull = false
  while (!isFull) {
    try {
      openSync('/dev/null', 'r')
    } catch {
      isFull = true
    }
  }
`

test('a process near its limit collects garbage early, and stays below it', async () => {
  const [alone, early] = await Promise.all([mostBytes(''), mostBytes(COLLECT)])
  expect(alone).toBeGreaterThan(early)
  expect(early).toBeWithin(150 * MIB, LIMIT)
})

test('a process that can open no more files collects garbage early, too', async () => {
  expect(await mostBytes(COLLECT + USE_UP_FILES)).toBeWithin(150 * MIB, LIMIT)
})
