import * as passkeys from '../../../src/core/passkeys/queries.ts'
import * as secondFactor from '../../../src/core/second-factor/queries.ts'
import * as tickets from '../../../src/core/second-factor/ticket-queries.ts'
import { activeTimes } from '../../../src/core/sessions/lifetime.ts'
import * as sessions from '../../../src/core/sessions/queries.ts'
import * as attempts from '../../../src/core/sign-in/attempt-queries.ts'
import * as signIn from '../../../src/core/sign-in/queries.ts'
import * as sso from '../../../src/core/sso/queries.ts'
import { PAGE, type Statements } from './statements.ts'

/** The statements about how accounts sign in. */
export const signInStatements: Statements = {
  'passkeys: list': (db, it) => passkeys.list(db, it.user, PAGE),
  'passkeys: descriptors': (db, it) => passkeys.descriptors(db, it.user, 'localhost'),
  'passkeys: count': (db, it) => passkeys.count(db, it.user, 'localhost'),
  'passkeys: findByCredential': (db, it) => passkeys.findByCredential(db, 'localhost', it.credential),
  'passkeys: insert': (db, it) =>
    passkeys.insert(db, {
      id: it.new,
      user_id: it.user,
      rp_id: 'localhost',
      credential_id: it.hash,
      public_key: it.hash,
      counter: 0,
      transports: ['internal'],
      name: 'New',
      created_at: it.now,
    }),
  'passkeys: markUsed': (db, it) => passkeys.markUsed(db, it.passkey, 0, it.now),
  'passkeys: remove': (db, it) => passkeys.remove(db, it.user, it.passkey),
  'passkeys: useChallenge': (db, it) => passkeys.useChallenge(db, it.hash, it.later),
  'passkeys: countForeign': (db) => passkeys.countForeign(db, 'localhost'),

  'second-factor: factors': (db, it) => secondFactor.factors(db, it.user, 'localhost'),
  'second-factor: findTotp': (db, it) => secondFactor.findTotp(db, it.user),
  'second-factor: insertTotp': (db, it) => secondFactor.insertTotp(db, it.user, 'x', it.now),
  'second-factor: confirmTotp': (db, it) => secondFactor.confirmTotp(db, it.user, 2, it.now),
  'second-factor: useStep': (db, it) => secondFactor.useStep(db, it.user, 2),
  'second-factor: removeTotp': (db, it) => secondFactor.removeTotp(db, it.user),
  'second-factor: removeRecoveryCodes': (db, it) => secondFactor.removeRecoveryCodes(db, it.user),
  'second-factor: insertRecoveryCodes': (db, it) => secondFactor.insertRecoveryCodes(db, it.user, [it.hash]),
  'second-factor: useRecoveryCode': (db, it) => secondFactor.useRecoveryCode(db, it.user, it.hash),
  'second-factor: removeAll': (db, it) => secondFactor.removeAll(db, it.user),
  'second-factor: tickets.insert': (db, it) =>
    tickets.insert(db, {
      hash: it.hash,
      user_id: it.user,
      browser_hash: it.hash,
      password_digest: it.hash,
      created_at: it.now,
      expires_at: it.later,
    }),
  'second-factor: tickets.find': (db, it) => tickets.find(db, it.hash, it.hash, it.now, it.now),
  'second-factor: tickets.countGuess': (db, it) => tickets.countGuess(db, it.hash, it.hash, it.now, it.now),
  'second-factor: tickets.remove': (db, it) => tickets.remove(db, it.hash),

  'sessions: lockPassword': (db, it) => sessions.lockPassword(db, it.user, 'x'),
  'sessions: lockUser': (db, it) => sessions.lockUser(db, it.user),
  'sessions: lockIdentity': (db, it) => sessions.lockIdentity(db, it.user, it.identity),
  'sessions: findPasskey': (db, it) => sessions.findPasskey(db, it.user, it.passkey),
  'sessions: removeSurplus': (db, it) => sessions.removeSurplus(db, it.user, activeTimes(it.now), 0),
  'sessions: insert': (db, it) =>
    sessions.insert(db, {
      id: it.new,
      userId: it.user,
      cookieHash: it.hash,
      method: 'password',
      ipAddress: null,
      userAgent: null,
      at: it.now,
      expiresAt: it.later,
    }),
  'sessions: lockAndMarkUsed': (db, it) => sessions.lockAndMarkUsed(db, it.session, it.now),
  'sessions: removeSurplusTokens': (db, it) =>
    sessions.removeSurplusTokens(db, it.session, it.now, it.later, 0),
  'sessions: insertToken': (db, it) => sessions.insertToken(db, it.session, it.hash, it.later),
  'sessions: lock': (db, it) => sessions.lock(db, it.session),
  'sessions: list': (db, it) => sessions.list(db, it.user, activeTimes(it.now), PAGE),
  'sessions: remove': (db, it) => sessions.remove(db, it.user, it.session),
  'sessions: removeAll': (db, it) => sessions.removeAll(db, it.user),

  'sign-in: countIdentities': (db, it) => signIn.countIdentities(db, it.user, ['example']),
  'sign-in: removeIdentities': (db, it) => signIn.removeIdentities(db, it.user),
  'sign-in-attempts: addOne': (db, it) => attempts.addOne(db, [counterWindow('new', it)]),
  'sign-in-attempts: addOneWithin': (db, it) =>
    attempts.addOneWithin(db, counterWindow('whole', it), counterWindow('part', it)),

  'sso: markStateUsed': (db, it) => sso.markStateUsed(db, it.hash, it.later),
  'sso: find': (db) => sso.find(db, 'https://example.org', '7'),
  'sso: list': (db, it) => sso.list(db, it.user),
  'sso: insert': (db, it) =>
    sso.insert(db, {
      id: it.new,
      user_id: it.user,
      provider: 'another',
      issuer: 'https://another.example.org',
      subject: '1',
      created_at: it.now,
    }),
  'sso: remove': (db, it) => sso.remove(db, it.user, 'example'),
  'sso: lockAddress': (db) => sso.lockAddress(db, 'member-1@example.org'),
}

const counterWindow = (key: string, it: Parameters<Statements[string]>[1]) => ({
  key,
  rate: { limit: 1, windowSeconds: 60 },
  start: it.now.getTime(),
  end: it.later.getTime(),
})
