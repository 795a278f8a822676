import { expect, test } from 'bun:test'
import { createAfterwards } from '../../src/platform/afterwards.ts'
import { recordedLog } from '../support/log-recorder.ts'

test('settled waits for all work, also for what is added meanwhile', async () => {
  const afterwards = createAfterwards(recordedLog().log)
  const done: string[] = []
  const work = async (name: string, next?: () => void) => {
    await Bun.sleep(5)
    done.push(name)
    next?.()
  }
  afterwards.add(work('first', () => afterwards.add(work('second'))))
  expect(done).toEqual([])
  await afterwards.settled()
  expect(done).toEqual(['first', 'second'])
})

test('work that rejects ends nothing, and its message stays out of the log', async () => {
  const recorder = recordedLog()
  const afterwards = createAfterwards(recorder.log)
  afterwards.add(Promise.reject(new TypeError('needle')))
  await afterwards.settled()
  const lines = JSON.stringify(recorder)
  expect(lines).toContain('TypeError')
  expect(lines).not.toContain('needle')
})
