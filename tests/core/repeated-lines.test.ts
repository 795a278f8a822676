import { expect, test } from 'bun:test'
import { logRepeated } from '../../src/core/repeated-lines.ts'
import { recordedLog } from '../support/log-recorder.ts'

test('of lines of one kind one is written a second, with the number of those left out', async () => {
  const { log, lines } = recordedLog()
  const read = () => lines.map((line) => JSON.parse(line))
  for (let n = 1; n <= 100; n++) logRepeated(log, 'warn', { n }, 'The database is busy')
  logRepeated(log, 'info', { n: 1 }, 'No credentials')
  expect(read()).toMatchObject([
    { level: 40, n: 1, msg: 'The database is busy' },
    { level: 30, n: 1, msg: 'No credentials' },
  ])
  await Bun.sleep(1100)
  expect(read().slice(2)).toMatchObject([{ level: 40, n: 100, suppressed: 98, msg: 'The database is busy' }])
  logRepeated(log, 'warn', { n: 101 }, 'The database is busy')
  expect(read()).toHaveLength(3)
  await Bun.sleep(1000)
  expect(read().slice(3)).toMatchObject([{ n: 101, suppressed: 0 }])
  await Bun.sleep(1100)
  logRepeated(log, 'warn', { n: 102 }, 'The database is busy')
  expect(read().slice(4)).toMatchObject([{ n: 102 }])
  expect(lines[4]).not.toContain('suppressed')
})

test('a line of another log is of no consequence', () => {
  const [one, other] = [recordedLog(), recordedLog()]
  for (const { log } of [one, other]) logRepeated(log, 'warn', {}, 'The database is busy')
  expect([one.lines.length, other.lines.length]).toEqual([1, 1])
})

test('another cause of the same message has a line of its own', () => {
  const { log, lines } = recordedLog()
  for (const code of ['57P01', '55P03', '57P01']) logRepeated(log, 'warn', { code }, 'The database is busy')
  expect(lines.map((line) => JSON.parse(line).code)).toEqual(['57P01', '55P03'])
})
