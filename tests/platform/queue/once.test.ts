import { afterAll, beforeAll, expect, test } from 'bun:test'
import { Type } from 'typebox'
import type { Database } from '../../../src/platform/postgres/database.ts'
import { workOnce } from '../../../src/platform/queue/once.ts'
import { createQueue, type Queue } from '../../../src/platform/queue/queue.ts'
import { testDatabase } from '../../support/database.ts'
import { recordedLog } from '../../support/log-recorder.ts'

const job = <Name extends string>(name: Name) =>
  ({
    name,
    payload: Type.Object({}),
    retryLimit: 0,
    retryDelaySeconds: 1,
    backoff: false,
    expireSeconds: 60,
  }) as const
const frequent = job('frequent')
const rare = job('rare')

let db: Database
let drop: () => Promise<void>
let queue: Queue<typeof frequent | typeof rare>
const { log } = recordedLog()

beforeAll(async () => {
  ;({ db, drop } = await testDatabase())
  queue = createQueue({ db, log }, [frequent, rare])
  await queue.start()
})
afterAll(async () => {
  await queue.stop()
  await drop()
})

const send = (name: 'frequent' | 'rare', count: number) =>
  db.begin(async (tx) => {
    for (let n = 0; n < count; n++) await queue.send(tx, name, {})
  })

test('a round takes one job of each kind in turn, and ends when none waits', async () => {
  await send('frequent', 4)
  await send('rare', 2)
  const ran: string[] = []
  const run = (name: string) => async () => void ran.push(name)
  const jobs = [
    { ...frequent, run: run('frequent') },
    { ...rare, run: run('rare') },
  ]
  expect(await workOnce({ db, log }, jobs, { cron: '', seconds: 50 })).toBe(6)
  expect(ran).toEqual(['frequent', 'rare', 'frequent', 'rare', 'frequent', 'frequent'])
})

test('a round that has no more time takes no further job', async () => {
  await send('frequent', 3)
  const ran: string[] = []
  const slow = async () => {
    ran.push('frequent')
    await Bun.sleep(300)
  }
  expect(await workOnce({ db, log }, [{ ...frequent, run: slow }], { cron: '', seconds: 0.25 })).toBe(1)
  expect(ran).toEqual(['frequent'])
})
