import { expect, test } from 'bun:test'
import { yieldToEventLoop, yieldWhenDue } from '../../src/core/yielding.ts'

test('others get a turn after so many steps', async () => {
  let isServed = false
  setImmediate(() => {
    isServed = true
  })
  const pause = yieldWhenDue(2)
  await pause()
  expect(isServed).toBe(false)
  await pause()
  expect(isServed).toBe(true)
})

test('a browser, which has no setImmediate, gives others a turn, too', async () => {
  const { setImmediate } = globalThis
  Object.assign(globalThis, { setImmediate: undefined })
  try {
    await yieldToEventLoop()
  } finally {
    Object.assign(globalThis, { setImmediate })
  }
})
