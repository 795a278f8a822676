import { expect, test } from 'bun:test'
import { randomBytes, randomUUID } from 'node:crypto'
import type { Database } from '../../../src/platform/postgres/database.ts'
import { databaseToMigrate } from '../../support/database.ts'

const organisationId = randomUUID()
const early = new Date('2026-01-01T00:00:00Z')
const late = new Date('2026-02-01T00:00:00Z')

/** Writes a member as the release before does, with a use of a session and one of a token; gives its id. */
async function write(db: Database, name: string, uses: readonly [session: Date, token: Date] | null) {
  const [id, userId] = [randomUUID(), randomUUID()]
  await db.begin(async (tx) => {
    await tx`set local session_replication_role = replica`
    await tx`insert into users (id, email, email_key, full_name, created_at, updated_at)
      values (${userId}, ${`${id}@Example.org`}, ${`${id}@example.org`}, ${name}, ${early}, ${early})`
    await tx`insert into members (id, organisation_id, user_id, created_at, updated_at)
      values (${id}, ${organisationId}, ${userId}, ${early}, ${early})`
    if (uses === null) return
    await tx`insert into sessions (id, user_id, cookie_hash, created_at, last_used_at, expires_at)
      values (${randomUUID()}, ${userId}, ${randomBytes(32)}, ${early}, ${uses[0]}, ${late})`
    await tx`insert into tokens (id, organisation_id, principal_id, name, hash, created_at, last_used_at)
      values (${randomUUID()}, ${organisationId}, ${id}, 'x', ${randomBytes(32)}, ${early}, ${uses[1]})`
  })
  return id
}

test('members of the release before are found by name, and were last seen when they last used something', async () => {
  const { database, apply, addOrganisation } = await databaseToMigrate()
  const { db, drop } = database
  try {
    await apply(13)
    await addOrganisation(organisationId)
    const ids = [
      await write(db, 'ÄNNE', [early, late]),
      await write(db, 'Bea', [late, early]),
      await write(db, '', null),
    ]
    await apply(14)
    // Beside its successor.
    ids.push(await write(db, 'Čay', null))
    const rows = await db`
      select m.id, u.name_key, u.sort_name, nullif(m.last_seen_at, '-infinity') as seen
      from members m join users u on u.id = m.user_id`
    const found = ids.map((id) => rows.find((row) => row.id === id))
    expect(found.map((row) => [row?.name_key, row?.sort_name, row?.seen])).toEqual([
      ['änne', 'änne', late],
      ['bea', 'bea', late],
      ['', `${ids[2]}@example.org`, null],
      ['čay', 'čay', null],
    ])
  } finally {
    await drop()
  }
})
