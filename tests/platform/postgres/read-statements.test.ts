import { expect, test } from 'bun:test'
import { isRead } from '../../../src/platform/postgres/read-statements.ts'

test.each([
  'select 1',
  '\n  SELECT id FROM users FOR UPDATE',
  '(select 1) union (select 2)',
  'show server_version',
  'values (1)',
  '-- update this one\nselect 1',
  '/* delete */ select 1',
  'with page as (select id from audit_entries) select * from page',
  'WITH RECURSIVE a AS (SELECT 1) SELECT * FROM a',
  `with a as (select 'insert into notes' as text, "update" from notes) select deleted_at, last_update from a`,
  'with a as (select id from users for update), b as (select 1 for no  key\nupdate) select * from a',
])('%p reads', (sql) => {
  expect(isRead(sql)).toBe(true)
})

test.each([
  '',
  'insert into notes values (1)',
  'update notes set id = 2',
  'delete from notes',
  'begin',
  'with a as (insert into notes values (1) returning id) select * from a',
  'with a as (update notes set id = 2 returning id) select * from a',
  'with a as (select 1)\nDELETE FROM notes',
  'with a as (select 1) merge into notes using a on true when matched then delete',
  `with a as (select 'it''s' as text) insert into notes select 1 from a`,
  'with a as (select id from notes for update) update notes set id = 2',
])('%p may change something', (sql) => {
  expect(isRead(sql)).toBe(false)
})
