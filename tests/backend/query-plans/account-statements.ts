import * as accounts from '../../../src/core/accounts/queries.ts'
import * as authentication from '../../../src/core/authentication/queries.ts'
import * as links from '../../../src/core/links/queries.ts'
import * as clientKeys from '../../../src/core/me/client-key-queries.ts'
import * as me from '../../../src/core/me/queries.ts'
import * as notices from '../../../src/core/notices/queries.ts'
import * as operators from '../../../src/core/operators/queries.ts'
import * as passkeys from '../../../src/core/passkeys/queries.ts'
import * as secondFactor from '../../../src/core/second-factor/queries.ts'
import * as tickets from '../../../src/core/second-factor/ticket-queries.ts'
import { activeTimes } from '../../../src/core/sessions/lifetime.ts'
import * as sessions from '../../../src/core/sessions/queries.ts'
import * as signIn from '../../../src/core/sign-in/queries.ts'
import { count } from '../../../src/core/sign-in/sign-in-limits.ts'
import * as sso from '../../../src/core/sso/queries.ts'
import * as tokens from '../../../src/core/tokens/queries.ts'
import { later, PAGE } from './organisation-statements.ts'
import type { Statements } from './statements.ts'

/** The statements about accounts, how they sign in, and their tokens. */
export const accountStatements: Statements = {
  'accounts: find': (db, it) => accounts.find(db, it.user),
  'accounts: findByEmailKey': (db) => accounts.findByEmailKey(db, 'member-1@example.org'),
  'accounts: lock': (db, it) => accounts.lock(db, it.user),
  'accounts: lockByEmailKey': (db) => accounts.lockByEmailKey(db, 'member-1@example.org'),
  'accounts: lockDeployment': (db) => accounts.lockDeployment(db),
  'accounts: registrationState': (db) => accounts.registrationState(db, 'member-1@example.org'),
  'accounts: insertUser': (db, it) =>
    accounts.insertUser(db, {
      id: it.new,
      email: 'new@example.org',
      email_key: 'new@example.org',
      full_name: '',
      password_hash: null,
      email_verified_at: null,
      verification_required: false,
      created_at: it.now,
      updated_at: it.now,
    }),
  'accounts: markEmailVerified': (db, it) => accounts.markEmailVerified(db, it.user, it.now),
  'accounts: waiveVerification': (db, it) => accounts.waiveVerification(db, it.user, it.now),
  'accounts: changePassword': (db, it) => accounts.changePassword(db, it.user, 'x', 'y', it.now),
  'accounts: replacePassword': (db, it) => accounts.replacePassword(db, it.user, 'y', it.now),
  'accounts: nameIfEmpty': (db, it) => accounts.nameIfEmpty(db, it.user, 'New', it.now),
  'accounts: allowLink': (db, it) => accounts.allowLink(db, it.user, it.later),
  'accounts: useLinkPermission': (db, it) => accounts.useLinkPermission(db, it.user, it.now),
  'accounts: wasNeverMember': (db, it) => accounts.wasNeverMember(db, it.new),
  'accounts: clear': (db, it) => accounts.clear(db, it.user, it.now),

  'authentication: findByToken': (db, it) => authentication.findByToken(db, it.tokenHash),
  'authentication: findBySessionToken': (db, it) =>
    authentication.findBySessionToken(db, it.sessionTokenHash, true),
  'authentication: findByCookie': (db, it) => authentication.findByCookie(db, it.cookieHash, false),
  'authentication: markTokenUsed': (db, it) => authentication.markTokenUsed(db, it.token, it.now, it.now),
  'authentication: markSessionUsed': (db, it) =>
    authentication.markSessionUsed(db, it.session, it.now, it.now),

  'links: find': (db, it) => links.find(db, it.link, 'reset-password', it.now, it.later),
  'links: insert': (db, it) =>
    links.insert(db, {
      id: it.new,
      userId: it.user,
      purpose: 'reset-password',
      nonce: it.hash,
      at: it.now,
      expiresAt: it.later,
      recentAt: it.now,
      latest: it.now,
      most: 5,
    }),
  'links: insertByOperator': (db, it) =>
    links.insertByOperator(db, {
      id: it.new,
      user_id: it.user,
      purpose: 'reset-password',
      nonce: it.hash,
      created_at: it.now,
      expires_at: it.later,
      removes_factors: false,
    }),
  'links: markAllUsed': (db, it) => links.markAllUsed(db, it.user, 'reset-password', it.now),

  'me: findRoleAndOrganisation': (db, it) => me.findRoleAndOrganisation(db, it.member),
  'me: clientKeysOf': (db, it) =>
    clientKeys.clientKeysOf(db, it.member, { kind: 'token', id: it.token, text: '' }),
  'me: keysOf': (db, it) => me.keysOf(db, it.member),
  'me: keysOf, of the Owner': (db, it) => me.keysOf(db, it.owner.id),

  'notices: organisationName': (db, it) => notices.organisationName(db, it.organisation),

  'operators: listAccounts': (db) => operators.listAccounts(db, undefined, 50),
  'operators: listAccounts, later': (db, it) =>
    operators.listAccounts(db, { created_at: it.now, id: it.user }, 50),

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
  'sessions: lockShared': (db, it) => sessions.lockShared(db, it.session),
  'sessions: list': (db, it) => sessions.list(db, it.user, activeTimes(it.now), PAGE),
  'sessions: remove': (db, it) => sessions.remove(db, it.user, it.session),
  'sessions: removeAll': (db, it) => sessions.removeAll(db, it.user),

  'sign-in: countIdentities': (db, it) => signIn.countIdentities(db, it.user, ['example']),
  'sign-in: removeIdentities': (db, it) => signIn.removeIdentities(db, it.user),
  'sign-in-limits: count': (db, it) =>
    count(
      undefined as never,
      [
        {
          key: 'new',
          rate: { limit: 1, windowSeconds: 60 },
          start: it.now.getTime(),
          end: it.later.getTime(),
        },
      ],
      db,
    ),

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

  'tokens: list': (db, it) => tokens.list(db, it.member, PAGE),
  'tokens: list, later': (db, it) => tokens.list(db, it.member, later(it.now.toISOString(), it.new)),
  'tokens: lockPrincipal': (db, it) => tokens.lockPrincipal(db, it.member),
  'tokens: countLive': (db, it) => tokens.countLive(db, it.member, it.now),
  'tokens: insert': (db, it) =>
    tokens.insert(db, {
      id: it.new,
      organisation_id: it.organisation,
      principal_id: it.member,
      name: 'New',
      hash: it.hash,
      created_at: it.now,
      expires_at: null,
      created_by: it.member,
      created_by_name: null,
      format: 'keyward',
      wrapped_key_share: null,
    }),
  'tokens: remove': (db, it) => tokens.remove(db, it.member, it.token),
  'tokens: removeAllOf': (db, it) => tokens.removeAllOf(db, it.user),
}
