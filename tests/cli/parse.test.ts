import { expect, test } from 'bun:test'
import { parse } from '../../src/cli/parse.ts'
import { GROUPS } from '../../src/cli/run.ts'

const [users, jobs] = [GROUPS.users, GROUPS.jobs]

test.each([
  [users, ['list'], 'list', [], []],
  [users, ['list', '--json'], 'list', [], ['json']],
  [users, ['make-owner', '--yes', 'ada@example.org'], 'make-owner', ['ada@example.org'], ['yes']],
  [users, ['reset', '--', 'ada@example.org'], 'reset', ['ada@example.org'], []],
  [jobs, ['drop', 'a', 'b', '--json', '--yes'], 'drop', ['a', 'b'], ['json', 'yes']],
  [jobs, ['retry', '--all'], 'retry', [], ['all']],
])('%p %p is understood', (group, args, name, words, switches) => {
  const parsed = parse(group, args)
  if (parsed.kind !== 'run') throw new Error(parsed.text)
  expect([parsed.command.name, parsed.input.arguments]).toEqual([name, words])
  expect([...parsed.input.switches]).toEqual(switches as never)
})

test.each([
  [users, ['lst'], 'Unknown command: keyward users lst. Did you mean list?'],
  [users, ['owner'], 'Unknown command: keyward users owner.'],
  [users, ['makeowner', 'ada@example.org'], 'Did you mean make-owner?'],
  [users, ['list', '--josn'], 'Unknown option: --josn. Did you mean --json?'],
  [users, ['list', '--yes'], 'Unknown option: --yes.'],
  [users, ['list', '-j'], 'Unknown option: -j.'],
  [users, ['list', '--json=no'], '--json takes no value: write it alone.'],
  [users, ['list', 'ada@example.org'], 'users list takes no argument: ada@example.org.'],
  [users, ['reset'], 'The e-mail address of an account is missing.'],
  [users, ['reset', 'ada'], 'ada is no e-mail address, such as ada@example.org.'],
  [users, ['reset', 'a@b.c', 'd@e.f'], 'One e-mail address at a time: d@e.f is too much.'],
  [users, ['make-owner', '--all', 'a@b.c'], 'Unknown option: --all.'],
  [jobs, ['retry'], 'The id of a failed job is missing'],
  [jobs, ['drop', '--yes'], 'The id of a failed job is missing'],
  [jobs, ['drop', 'a', '--all'], 'Give the ids of jobs or --all, not both.'],
  [jobs, ['__proto__'], 'Unknown command: keyward jobs __proto__.'],
])('%p %p is a fault, with help', (group, args, words) => {
  const parsed = parse(group, args)
  if (parsed.kind !== 'fault') throw new Error('it was understood')
  expect(parsed.text).toContain(words)
  expect(parsed.text).toContain(`\n\nkeyward ${group.name} `)
})

test('help lists every command and every option, whatever stands beside it', () => {
  for (const group of [users, jobs]) {
    for (const words of [['--help'], ['-h'], ['help']]) {
      const parsed = parse(group, words)
      if (parsed.kind !== 'help') throw new Error('that is help')
      for (const { name, summary } of group.commands) {
        expect(parsed.text).toContain(`\n  ${name}`)
        expect(parsed.text).toContain(summary)
      }
    }
    for (const command of group.commands) {
      const parsed = parse(group, [command.name, '--help', 'what', 'ever'])
      if (parsed.kind !== 'help') throw new Error('that is help')
      for (const name of command.switches) expect(parsed.text).toContain(`\n  --${name} `)
    }
  }
})

test('no command at all prints the help of the group, as a fault', () => {
  expect(parse(users, [])).toEqual({ ...parse(users, ['--help']), kind: 'fault' } as never)
})
