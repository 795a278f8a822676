import { createRepeatCounts } from '../../../src/core/audit/repeat-counts.ts'
import * as environments from '../../../src/core/environments/queries.ts'
import * as plain from '../../../src/core/plain-secrets/queries.ts'
import * as expiry from '../../../src/core/secrets/expiry-queries.ts'
import * as leftovers from '../../../src/core/secrets/leftover-queries.ts'
import * as locks from '../../../src/core/secrets/lock-queries.ts'
import { lockCopies } from '../../../src/core/secrets/override-locks.ts'
import * as overrides from '../../../src/core/secrets/override-queries.ts'
import * as pruning from '../../../src/core/secrets/pruning-queries.ts'
import * as secrets from '../../../src/core/secrets/queries.ts'
import * as rekey from '../../../src/core/secrets/rekey-queries.ts'
import * as restore from '../../../src/core/secrets/restore-queries.ts'
import * as room from '../../../src/core/secrets/room-queries.ts'
import * as versions from '../../../src/core/secrets/version-queries.ts'
import { waitAsHolder } from '../../../src/core/transactions.ts'
import type { Database } from '../../../src/platform/postgres/database.ts'
import type { Statements, Things } from './statements.ts'

const MIB = 1024 * 1024
const DIGEST = '01'.repeat(32)

const change = (it: Things): secrets.Change => ({
  actor: { ...it.developer, name: 'Member' },
  environment: { id: it.environment, app_id: it.app, name: 'environment-0', public_key: 'x' },
  at: it.now,
})

const values = (id: string): secrets.SecretValues => ({
  id,
  path: '/',
  key: 'x',
  key_digest: DIGEST,
  value: 'x',
  comment: '',
  tags: [],
  type: 'secret',
  expires_at: null,
})

const sealed = (id: string, version: number): rekey.SealedTexts => ({
  id,
  version,
  key: 'x',
  key_digest: DIGEST,
  value: 'x',
  comment: '',
})

/** A copy of an environment's keys. */
const copy = (it: Things) => ({
  principal_id: it.member,
  app_id: it.app,
  environment_id: it.environment,
  wrapped_seed: 'x',
  wrapped_salt: 'x',
})

const DAY_MILLISECONDS = 24 * 60 * 60 * 1000

/** Those from a month ago until a week from now. */
const expiries = ({ now }: Things) => ({
  after: new Date(now.getTime() - 30 * DAY_MILLISECONDS),
  until: new Date(now.getTime() + 7 * DAY_MILLISECONDS),
})

/** The statements about secrets, and those that give their environments other keys. */
export const secretStatements: Statements = {
  'secrets: list': (db, it) => secrets.list(db, it.developer, it.environment, {}),
  'secrets: list, of the Owner': (db, it) => secrets.list(db, it.owner, it.environment, {}),
  'secrets: list, path': (db, it) => secrets.list(db, it.developer, it.environment, { path: '/folder-1' }),
  'secrets: list, key': (db, it) => secrets.list(db, it.developer, it.environment, { keyDigest: DIGEST }),
  'secrets: list, path and key': (db, it) =>
    secrets.list(db, it.developer, it.environment, { path: '/', keyDigest: DIGEST }),
  'secrets: list, tags': (db, it) => secrets.list(db, it.developer, it.environment, { tags: ['rare'] }),
  'secrets: list, ids': (db, it) => secrets.list(db, it.developer, it.environment, { ids: [it.secret] }),
  'room: storedBytes, path': (db, it) =>
    room.storedBytes(db, it.developer, it.environment, { path: '/folder-1' }),
  'room: storedBytes, ids': (db, it) =>
    room.storedBytes(db, it.developer, it.environment, { ids: [it.secret] }),
  'leftovers: remove, secrets': async (db, it) => {
    await db`insert into deleted_environments (id) values (${it.environment})`
    await leftovers.remove(db, 'secrets', 10)
  },
  'leftovers: remove, versions': async (db, it) => {
    await db`insert into deleted_environments (id) values (${it.environment})`
    await leftovers.remove(db, 'secret_versions', 10)
  },
  'leftovers: forgetEmpty': async (db, it) => {
    await db`insert into deleted_environments (id) values (${it.environment})`
    await leftovers.forgetEmpty(db)
  },
  'overrides: lockCopies': (db, it) => lockCopies(db, it.member),
  'overrides: lockCopies, of an environment': (db, it) => lockCopies(db, it.member, [it.environment]),
  'secrets: lockEnvironment': (db, it) => locks.lockEnvironment(db, it.organisation, it.environment),
  'secrets: publicKeyOf': (db, it) => locks.publicKeyOf(db, it.organisation, it.environment),
  'secrets: holdAccess': (db, it) => locks.holdAccess(db, it.developer, it.environment),
  'secrets: listStates': (db, it) => secrets.listStates(db, change(it), { path: '/folder-1' }),
  'secrets: listStates, ids': (db, it) => secrets.listStates(db, change(it), { ids: [it.secret] }),
  'secrets: count': (db, it) => secrets.count(db, it.environment),
  'secrets: findTaken': (db, it) =>
    secrets.findTaken(db, it.environment, [{ path: '/', key_digest: DIGEST }], [it.secret]),
  'secrets: markChanged': (db, it) => secrets.markChanged(db, change(it)),
  'secrets: insert': (db, it) => secrets.insert(db, change(it), [values(it.new)]),
  'secrets: update': (db, it) => secrets.update(db, change(it), [values(it.secret)]),
  'secrets: remove': (db, it) => secrets.remove(db, change(it), [it.secret]),
  'secrets: restore': (db, it) => secrets.restore(db, change(it), values(it.secret), 9),
  'secrets: restore, a deleted one': (db, it) => secrets.restore(db, change(it), values(it.deletedSecret), 9),

  'secret-overrides: put': (db, it) =>
    overrides.put(db, change(it), [{ id: it.new, secret_id: it.secret, value: 'x', is_active: true }]),
  'secret-overrides: remove': (db, it) => overrides.remove(db, change(it), it.secret),

  'secret-versions: findEnvironment': (db, it) =>
    versions.findEnvironment(db, it.developer, it.deletedSecret),
  'secret-versions: list': (db, it) => versions.list(db, it.environment, it.secret, 100),
  'secret-versions: storedBytes': (db, it) => versions.storedBytes(db, it.environment, it.secret),
  'secret-versions: listHeads': (db, it) => versions.listHeads(db, it.environment, it.secret, 100),
  'room: sizes': (db, it) => room.sizes(db, it.developer, it.environment),
  'secret-versions: find': (db, it) => versions.find(db, change(it), it.secret, 1),
  'secret-versions: findNewest': (db, it) => versions.findNewest(db, change(it), it.secret),
  'secret-versions: removeBeyond': (db) => versions.removeBeyond(db, 100, 1000),
  'secret-versions: removeDeletedBefore': (db, it) =>
    versions.removeDeletedBefore(db, new Date(it.now.getTime() - 90 * DAY_MILLISECONDS), 1000),
  'secret-versions: environmentsBeyond': (db) =>
    pruning.environmentsBeyond(db as unknown as Database, 64 * MIB),
  'secret-versions: tryToLock': (db, it) => pruning.tryToLock(db, it.environment),
  'secret-versions: countBytes': (db, it) => pruning.countBytes(db, it.environment),
  'secret-versions: removeOldest': (db, it) => pruning.removeOldest(db, it.environment, MIB, 100),
  'secret-versions: statesAt': (db, it) => restore.statesAt(db, it.environment, it.now),
  'secret-versions: restoreVersions': (db, it) =>
    restore.restoreVersions(db, change(it), [{ id: it.secret, version: 1, next: 3 }]),

  'secret-expiry: environmentsToTell': (db, it) => expiry.environmentsToTell(db, expiries(it)),
  'secret-expiry: claimExpiring': (db, it) => expiry.claimExpiring(db, it.environment, expiries(it), 10_000),
  'secret-expiry: holders': (db, it) => expiry.holders(db, [it.environment], 3),

  'rekey: lock': (db, it) => rekey.lock(db, it.developer, it.environment),
  'rekey: takeTurn': (db, it) => rekey.takeTurn(db, 'environment', it.environment),
  'rekey: stopChanges': (db, it) => rekey.stopChanges(db, it.environment),
  'rekey: isWaitedFor': (db) => rekey.isWaitedFor(db),
  'rekey: waitAsHolder': (db) => waitAsHolder(db),
  'rekey: find': (db, it) => rekey.find(db, it.developer, it.environment),
  'rekey: secrets': (db, it) => rekey.secrets(db, it.organisation, it.environment, rekey.BEFORE_ALL),
  'rekey: secrets, later': (db, it) => rekey.secrets(db, it.organisation, it.environment, it.secret),
  'rekey: versions': (db, it) => rekey.versions(db, it.environment, { id: it.secret, version: 1 }),
  'rekey: overrides': (db, it) =>
    rekey.overrides(db, [it.secret], { secret_id: it.secret, principal_id: rekey.BEFORE_ALL }),
  'rekey: lockOverrides': (db, it) => rekey.lockOverrides(db, [it.override]),
  'rekey: replaceSecrets': (db, it) => rekey.replaceSecrets(db, [sealed(it.secret, 2)]),
  'rekey: replaceVersions': (db, it) => rekey.replaceVersions(db, [sealed(it.secret, 1)]),
  'rekey: replaceOverrides': (db, it) => rekey.replaceOverrides(db, [{ id: it.override, value: 'x' }]),
  'rekey: markChanged': (db, it) => rekey.markChanged(db, it.environment, it.now),
  'environments: principalsWithCopies': (db, it) => environments.principalsWithCopies(db, it.environment),
  'environments: replaceKeys': (db, it) =>
    environments.replaceKeys(db, it.environment, { public_key: 'x', wrapped_seed: 'x', wrapped_salt: 'x' }),
  'environments: replaceKeyCopies': (db, it) => environments.replaceKeyCopies(db, [copy(it)]),

  'plain-secrets: findByName': (db, it) => plain.findByName(db, it.developer, it.app, 'environment-0'),
  'plain-secrets: findByNames, by the id of the app': (db, it) =>
    plain.findByNames(
      db,
      it.developer,
      [{ app_id: it.app, app_key: null, environment_key: 'environment-0' }],
      100,
    ),
  'plain-secrets: findByNames, by the name of the app': (db, it) =>
    plain.findByNames(
      db,
      it.owner,
      [{ app_id: null, app_key: 'app 7', environment_key: 'environment-0' }],
      100,
    ),
  'plain-secrets: publicKeysOf': (db, it) => plain.publicKeysOf(db, [it.environment]),
  'plain-secrets: findReferenced': (db, it) =>
    plain.findReferenced(
      db,
      it.developer,
      [{ environment_id: it.environment, path: '/', key_digest: DIGEST }],
      1_000_000,
    ),

  'audit: addCounts': async (db, it, ctx) => {
    const counts = createRepeatCounts({ db: db as unknown as Database, log: ctx.log })
    for (let time = 0; time < 2; time++) {
      await counts.count('read', { minute: 1, group: 'reads' }, async () => it.entry)
    }
    await counts.flush()
    // Flushing doesn't tell whether it could write; after a failure this fails as well.
    await db`select count from audit_entries where id = ${it.entry}`
  },
}
