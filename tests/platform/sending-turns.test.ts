import { expect, test } from 'bun:test'
import { createSendingTurns } from '../../src/platform/sending-turns.ts'
import { countTurns } from '../support/event-loop.ts'

test('eight pieces are sent in a turn of the event loop, of callers in turn', async () => {
  const waitToSend = createSendingTurns()
  using counted = countTurns()
  const sent: [caller: string, turn: number][] = []
  const send = async (caller: string, pieces: number) => {
    for (let piece = 0; piece < pieces; piece++) {
      await waitToSend(caller)
      sent.push([caller, counted.turns])
    }
  }
  const many = Array.from({ length: 20 }, () => send('many', 5))
  await Promise.all([...many, send('few', 2)])
  expect(sent).toHaveLength(102)
  const perTurn = [...Map.groupBy(sent, ([, turn]) => turn).values()].map(({ length }) => length)
  expect(Math.max(...perTurn)).toBeLessThanOrEqual(8)
  expect(sent.findLastIndex(([caller]) => caller === 'few')).toBeLessThan(24)
})

test('where few pieces are sent, none waits', () => {
  const waitToSend = createSendingTurns()
  expect(Array.from({ length: 8 }, () => waitToSend('ada'))).toEqual(Array(8).fill(undefined))
})
