import { expect, test } from 'bun:test'
import { type Switch, UsageError } from '../../src/cli/command.ts'
import { confirm } from '../../src/cli/confirm.ts'

const input = (...switches: Switch[]) => ({ arguments: [], switches: new Set(switches) })

function terminal(answer: string | null, canAsk = true) {
  const asked: string[] = []
  const warned: string[] = []
  return {
    asked,
    warned,
    canAsk,
    isSeen: true,
    isLogged: false,
    print: async () => {},
    warn: (text: string) => void warned.push(text),
    ask: async (question: string) => {
      asked.push(question)
      return answer
    },
  }
}

test.each(['y', 'Y', 'yes', ' YES '])('%j is a yes', async (answer) => {
  const asked = terminal(answer)
  expect(await confirm(asked, input(), 'Sure?')).toBe(true)
  expect(asked.asked).toEqual(['Sure? [y/N] '])
})

test.each(['', 'n', 'no', 'yikes', 'y es', null])('%j is a no', async (answer) => {
  const asked = terminal(answer)
  expect(await confirm(asked, input(), 'Sure?')).toBe(false)
  expect(asked.warned).toEqual(['Nothing was changed.\n'])
})

test('--yes asks nobody, and without a terminal it is needed', async () => {
  const silent = terminal(null, false)
  expect(await confirm(silent, input('yes'), 'Sure?')).toBe(true)
  await expect(confirm(silent, input(), 'Sure?')).rejects.toThrow(UsageError)
  expect(silent.asked).toEqual([])
})
