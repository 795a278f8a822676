import { expect, test } from 'bun:test'
import { suggestion } from '../../src/cli/suggestion.ts'
import { printable, table } from '../../src/cli/table.ts'

test('columns are as wide as their widest cell, and lines end without spaces', () => {
  expect(
    table(
      ['A', 'B'],
      [
        ['longer', ''],
        ['é', 'x'],
      ],
    ),
  ).toBe('A       B\nlonger\né       x\n')
})

test('a name can neither steer the terminal nor forge a line', () => {
  const name = '\u001b]0;title\u0007\u001b[2Jada\r\nOwner\u009b31m\u202eevil\u2066\u2028'
  const [, line = '', ...more] = table(['NAME'], [[name]]).split('\n')
  expect(more).toEqual([''])
  expect(line).toBe('\ufffd]0;title\ufffd\ufffd[2Jada\ufffd\ufffdOwner\ufffd31m\ufffdevil\ufffd\ufffd')
  expect(printable('Ωmega 👩‍💻')).toBe('Ωmega 👩‍💻')
})

test('a mistyped word gets the nearest known one, an arbitrary one gets none', () => {
  const known = ['serve', 'backend', 'worker', 'migrate', 'users', 'jobs']
  expect(suggestion('user', known)).toBe(' Did you mean users?')
  expect(suggestion('jbos', known)).toBe(' Did you mean jobs?')
  expect(suggestion('migarte', known)).toBe(' Did you mean migrate?')
  for (const word of ['sing', '', 'x'.repeat(100_000)]) expect(suggestion(word, known)).toBe('')
})
