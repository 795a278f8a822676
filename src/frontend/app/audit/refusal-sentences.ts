import type { RefusalType } from '../../../core/audit/refusals.ts'
import { inThing, type Say, say, target, thing, words } from './facts.ts'

const tried: (act: string, kind: string) => Say = (act, kind) => (facts) =>
  say`${[`tried to ${act} `]}${target(facts, kind)}`
const triedIn: (act: string) => Say = (act) => (facts) => say`${[`tried to ${act}`]}${inThing(facts)}`

/** What each refusal says after the name of who was refused: "tried to change the role of Noor Haddad". */
export const REFUSAL_SENTENCES: Readonly<Record<RefusalType, Say>> = {
  'access.read_refused': words('tried to see who can open what'),
  'app.create_refused': words('tried to create an app'),
  'app.delete_refused': tried('delete', 'app'),
  'app.read_refused': tried('read', 'app'),
  'app.update_refused': tried('change', 'app'),
  'audit_log.read_refused': words('tried to read the audit log'),
  'environment.create_refused': triedIn('create an environment'),
  'environment.delete_refused': tried('delete', 'environment'),
  'environment.read_refused': (facts) =>
    say`tried to read ${facts.entry.resourceType === 'app' ? say`environments of ${thing(facts)}` : target(facts, 'environment')}`,
  'environment.update_refused': tried('change', 'environment'),
  'invite.accept_refused': words('tried to accept an invite'),
  'invite.create_refused': words('tried to invite somebody'),
  'invite.delete_refused': words('tried to withdraw an invite'),
  'invite.read_refused': words('tried to read the invites'),
  'invite.resend_refused': words('tried to mail an invite again'),
  'key.read_refused': words('tried to read keys'),
  'member.access_change_refused': (facts) => say`tried to change what ${target(facts, 'member')} can open`,
  'member.delete_refused': tried('remove', 'member'),
  'member.read_refused': tried('read', 'member'),
  'member.update_refused': (facts) => say`tried to change the role of ${target(facts, 'member')}`,
  'organisation.read_refused': words('tried to read the organisation'),
  'organisation.update_refused': words('tried to rename the organisation'),
  'role.create_refused': words('tried to create a role'),
  'role.delete_refused': tried('delete', 'role'),
  'role.read_refused': tried('read', 'role'),
  'role.update_refused': tried('change', 'role'),
  'secret.create_refused': triedIn('create secrets'),
  'secret.delete_refused': triedIn('delete secrets'),
  'secret.read_refused': triedIn('read secrets'),
  'secret.restore_refused': triedIn('bring back earlier versions of secrets'),
  'secret.update_refused': triedIn('change secrets'),
  'service_account.access_change_refused': (facts) =>
    say`tried to change what ${target(facts, 'service_account')} can open`,
  'service_account.create_refused': words('tried to create a service account'),
  'service_account.delete_refused': tried('delete', 'service_account'),
  'service_account.read_refused': tried('read', 'service_account'),
  'service_account.update_refused': tried('change', 'service_account'),
  'session.create_refused': words('was refused a session'),
  'session.delete_refused': words('tried to end a session'),
  'session.read_refused': words('tried to read sessions'),
  'token.create_refused': (facts) =>
    say`tried to create a token${facts.entry.resourceType === 'service_account' ? say` for ${thing(facts)}` : null}`,
  'token.delete_refused': words('tried to revoke a token'),
  'token.read_refused': (facts) =>
    say`tried to read tokens${facts.entry.resourceType === 'service_account' ? say` of ${thing(facts)}` : null}`,
  'user.read_refused': words('tried to read their account'),
  'user.update_refused': words('tried to change their account'),
}
