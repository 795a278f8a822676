import * as accounts from '../../../src/core/accounts/queries.ts'
import * as authentication from '../../../src/core/authentication/queries.ts'
import * as links from '../../../src/core/links/queries.ts'
import * as clientKeys from '../../../src/core/me/client-key-queries.ts'
import * as me from '../../../src/core/me/queries.ts'
import * as notices from '../../../src/core/notices/queries.ts'
import * as operators from '../../../src/core/operators/queries.ts'
import * as tokens from '../../../src/core/tokens/queries.ts'
import { MOST_EXPIRED_TOKENS } from '../../../src/core/tokens/token.ts'
import { later, PAGE, type Statements } from './statements.ts'

/** The statements about accounts, callers and their tokens. */
export const accountStatements: Statements = {
  'accounts: find': (db, it) => accounts.find(db, it.user),
  'accounts: findByEmailKey': (db) => accounts.findByEmailKey(db, 'member-1@example.org'),
  'accounts: isMember': (db, it) => accounts.isMember(db, it.user),
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
  'authentication: markMemberSeen': (db, it) => authentication.markMemberSeen(db, it.member, it.now, it.now),

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
  'me: countKeyCopies': (db, it) => me.countKeyCopies(db, it.member),
  'me: keysOf': (db, it) => me.keysOf(db, it.member),
  'me: keysOf, of the Owner': (db, it) => me.keysOf(db, it.owner.id),

  'notices: organisationName': (db, it) => notices.organisationName(db, it.organisation),

  'operators: listAccounts': (db) => operators.listAccounts(db, undefined, 50),
  'operators: listAccounts, later': (db, it) =>
    operators.listAccounts(db, { created_at: it.now, id: it.user }, 50),

  'tokens: list': (db, it) => tokens.list(db, it.member, PAGE),
  'tokens: list, later': (db, it) => tokens.list(db, it.member, later(it.now.toISOString(), it.new)),
  'tokens: count': (db, it) => tokens.count(db, it.member),
  'tokens: lockPrincipal': (db, it) => tokens.lockPrincipal(db, it.member),
  'tokens: lockAll': (db, it) => tokens.lockAll(db, it.member, it.now),
  'tokens: countLive': (db, it) => tokens.countLive(db, it.member, it.now),
  'tokens: removeSurplusExpired': (db, it) =>
    tokens.removeSurplusExpired(db, it.member, it.now, MOST_EXPIRED_TOKENS),
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
      responsible_id: it.member,
      branch_id: null,
      format: 'keyward',
      wrapped_key_share: null,
    }),
  'tokens: remove': (db, it) => tokens.remove(db, it.member, it.token),
  'tokens: removeAllOf': (db, it) => tokens.removeAllOf(db, it.user, it.now),
}
