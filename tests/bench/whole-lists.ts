import type { TestContext } from '../support/context.ts'
import { cleanUp, type Keyward } from '../support/keyward.ts'
import { backendOn, resident } from './processes.ts'
import { addSection } from './report.ts'
import { median } from './turns.ts'

const AT_ONCE = 8

/** What a list without a limit costs a backend of its own: time, bytes and memory, from the database and from memory. */
export async function wholeLists(ctx: TestContext, token: string): Promise<void> {
  const rows: string[][] = []
  for (const [name, megabytes] of [
    ['from the database each time', '0'],
    ['from memory', '64'],
  ] as const) {
    const keyward = await backendOn(ctx, { CACHE_MEGABYTES: megabytes })
    for (let i = 0; i < 20; i++) await ask(keyward, '/v1/members?limit=50', token)
    const before = await resident(keyward)
    const { bytes } = await ask(keyward, '/v1/members', token)
    const times: number[] = []
    for (let i = 0; i < 10; i++) times.push((await ask(keyward, '/v1/members', token)).milliseconds)
    const afterOne = await resident(keyward, 'VmHWM')
    await Promise.all(Array.from({ length: AT_ONCE }, () => ask(keyward, '/v1/members', token)))
    rows.push([
      name,
      (bytes / 1e6).toFixed(1),
      median(times).toFixed(0),
      before,
      afterOne,
      await resident(keyward, 'VmHWM'),
    ])
    await keyward.stop()
  }
  await cleanUp()
  addSection({
    title: 'GET /v1/members without a limit, 10,000 members',
    columns: [
      'Answered',
      'MB sent',
      'ms',
      'MiB before',
      'MiB at most, one after the other',
      `MiB at most, ${AT_ONCE} at once`,
    ],
    rows,
  })
}

async function ask({ url }: Keyward, path: string, token: string) {
  const start = performance.now()
  const response = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } })
  const { byteLength: bytes } = await response.arrayBuffer()
  if (response.status !== 200) throw new Error(`${path}: ${response.status}`)
  return { bytes, milliseconds: performance.now() - start }
}
