import { expect, test } from 'bun:test'
import { describeStatement } from '../../../src/platform/postgres/statement-spans.ts'

test.each([
  ['select id from roles where id = $1', 'SELECT roles', 'select id from roles where id = $1'],
  ['  insert into\n  "apps" ("id") values ($1)', 'INSERT apps', 'insert into "apps" ("id") values ($1)'],
  ['update only t2 set a = 5, b = 1.5e3', 'UPDATE t2', 'update only t2 set a = ?, b = ?'],
  ['with a as (delete from tokens returning 1) select 1', 'DELETE tokens', null],
  ['begin', 'BEGIN', 'begin'],
  ['', 'STATEMENT', ''],
])('the statement %j is told as %j', (sql, summary, text) => {
  expect(describeStatement(sql).summary).toBe(summary)
  if (text !== null) expect(describeStatement(sql).text).toBe(text)
})

test.each([
  "select 'needle'",
  "select 'it''s a needle'",
  "select E'a\\'needle'",
  "select e'a\\\\', 'needle'",
  'select $$needle$$',
  "select $tag$ ' needle $other$ needle $tag$, 1",
  '-- needle\nselect 1',
  "select 1 -- it's a needle",
  '/* needle */ select 1',
  "select /* ' */ 'needle' /* ' */",
  "select 'needle",
  'select $$needle',
  'select 1 /* needle',
  "select \"a'b\", 'needle'",
])('a literal or a comment is left out: %j', (sql) => {
  expect(describeStatement(sql).text).not.toContain('needle')
})

test('numbers are left out, and placeholders are not', () => {
  expect(describeStatement('select 4111111111111111, $12, t1.c2, 0x1f').text).toBe('select ?, $12, t1.c2, ?')
})

test('a long statement is cut', () => {
  expect(describeStatement(`select ${'a, '.repeat(100_000)}b`).text.length).toBe(1000)
})
