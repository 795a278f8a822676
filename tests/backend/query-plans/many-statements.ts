import * as plain from '../../../src/core/plain-secrets/queries.ts'
import * as secrets from '../../../src/core/secrets/queries.ts'
import * as rekey from '../../../src/core/secrets/rekey-queries.ts'
import * as restore from '../../../src/core/secrets/restore-queries.ts'
import * as room from '../../../src/core/secrets/room-queries.ts'
import type { Transaction } from '../../../src/platform/postgres/database.ts'
import type { Statements, Things } from './statements.ts'

type Found = Readonly<{ id: string; version: number; path: string; key_digest: string }>

/** The secrets of the environment. */
const found = (db: Transaction, { environment }: Things) => db<Found[]>`
  select id, version, path, encode(key_digest, 'hex') as key_digest from secrets where environment_id = ${environment}`

const change = (it: Things): secrets.Change => ({
  actor: { ...it.developer, name: 'Member' },
  environment: { id: it.environment, app_id: it.app, name: 'environment-0', public_key: 'x' },
  at: it.now,
})

const rest = { key: 'x', value: 'x', comment: '' }
const values = { ...rest, tags: [], type: 'secret' as const, expires_at: null }

/** Statements about many secrets at once. */
export const manyStatements: Statements = {
  'many secrets: list, ids': async (db, it) =>
    secrets.list(db, it.developer, it.environment, { ids: (await found(db, it)).map(({ id }) => id) }),
  'many secrets: listStates, ids': async (db, it) =>
    secrets.listStates(db, change(it), { ids: (await found(db, it)).map(({ id }) => id) }),
  'many secrets: storedBytes, ids': async (db, it) =>
    room.storedBytes(db, it.developer, it.environment, { ids: (await found(db, it)).map(({ id }) => id) }),
  'many secrets: findTaken': async (db, it) =>
    secrets.findTaken(db, it.environment, await found(db, it), [it.secret]),
  'many secrets: update': async (db, it) =>
    secrets.update(
      db,
      change(it),
      (await found(db, it)).map((one) => ({ ...one, ...values })),
    ),
  'many secrets: remove': async (db, it) =>
    secrets.remove(
      db,
      change(it),
      (await found(db, it)).map(({ id }) => id),
    ),
  'many secrets: restoreVersions': async (db, it) =>
    restore.restoreVersions(
      db,
      change(it),
      (await found(db, it)).map(({ id, version }) => ({ id, version, next: version + 1 })),
    ),
  'many secrets: findReferenced': async (db, it) => {
    const names = (await found(db, it)).map((one) => ({ ...one, environment_id: it.environment }))
    await plain.findReferenced(db, it.developer, names, 1_000_000)
  },
  'many secrets: replaceSecrets': async (db, it) =>
    rekey.replaceSecrets(
      db,
      (await found(db, it)).map((one) => ({ ...one, ...rest })),
    ),
  'many secrets: replaceVersions': async (db, it) =>
    rekey.replaceVersions(
      db,
      (await found(db, it)).map((one) => ({ ...one, ...rest })),
    ),
}
