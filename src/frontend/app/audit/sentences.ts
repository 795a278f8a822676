import type { Entry } from '../../../core/audit/entry.ts'
import type { EventType } from '../../../core/audit/events.ts'
import { counted } from '../components/words.ts'
import * as about from './facts.ts'
import {
  type Facts,
  type NameOf,
  numberIn,
  roleIn,
  type Say,
  type Sentence,
  say,
  textIn,
  thing,
  words,
} from './facts.ts'
import { REFUSAL_SENTENCES } from './refusal-sentences.ts'

/*
 * What each event of the audit log says, after the name of who did it: "changed Noor Haddad from Developer to Manager".
 * Names that people typed are parts of their own, and never markup.
 */

const named: (verb: string) => Say = (verb) => (facts) => say`${[`${verb} `]}${thing(facts)}`
const secrets: (verb: string) => Say = (verb) => (facts) => {
  const total = numberIn(facts.entry.newValues, 'total')
  return say`${[verb]} ${[total === null ? 'secrets, many times,' : counted(total, 'secret')]} in ${thing(facts)}`
}
const withTokens: (verb: string) => Say = (verb) => (facts) => {
  const tokens = numberIn(facts.entry.oldValues, 'tokens') ?? 0
  const also = tokens === 0 ? '' : `, with ${counted(tokens, 'token')}`
  return say`${named(verb)(facts)}${[also]}`
}
const until = (values: Entry['oldValues']): Sentence => {
  const at = textIn(values, 'expiresAt')
  return at === null
    ? [', without an end']
    : [`, until ${new Intl.DateTimeFormat(undefined, { dateStyle: 'long' }).format(new Date(at))}`]
}
const owner = ({ entry, nameOf }: Facts): Sentence => {
  const id = textIn(entry.resourceMetadata, 'ownerId')
  return id === null || id === entry.actorId
    ? []
    : say` for ${about.person(nameOf, id, 'an account that is gone')}`
}
const renamed: Say = (facts) => {
  const [before, after] = [textIn(facts.entry.oldValues, 'name'), textIn(facts.entry.newValues, 'name')]
  return before === null || after === null || before === after
    ? say`changed ${thing(facts)}`
    : say`renamed ${before} to ${after}`
}
const access: Say = (facts) => {
  const { entry, nameOf } = facts
  const gained = numberIn(entry.newValues, 'total') ?? 0
  const lost = numberIn(entry.oldValues, 'total') ?? 0
  const opened = about.environments(nameOf, about.idsIn(entry.newValues, 'granted'), gained)
  const closed = about.environments(nameOf, about.idsIn(entry.oldValues, 'revoked'), lost)
  if (gained + lost === 0) return say`changed what ${thing(facts)} can open`
  if (lost === 0) return say`opened ${opened} to ${thing(facts)}`
  return gained === 0
    ? say`closed ${closed} to ${thing(facts)}`
    : say`opened ${opened} to ${thing(facts)}, and closed ${closed}`
}
const accountChange: Say = (facts) => {
  const { oldValues, newValues } = facts.entry
  const [before, after] = [roleIn(oldValues), roleIn(newValues)]
  return about.plainText(before) === about.plainText(after)
    ? renamed(facts)
    : say`changed ${thing(facts)} from ${before} to ${after}`
}
const newKeys: Say = (facts) =>
  say`renewed the keys of ${thing(facts)}: ${[counted(numberIn(facts.entry.newValues, 'secrets') ?? 0, 'secret')]} sealed again`
const passwordChange =
  (text: string): Say =>
  ({ entry }) => {
    const revoked = entry.newValues?.revokedTokens
    const tokens = Array.isArray(revoked) ? revoked.length : typeof revoked === 'number' ? revoked : 0
    return [`${text}; all sessions ended${tokens === 0 ? '' : `, and ${counted(tokens, 'token')} with them`}`]
  }
/** A name in some values after these words, or what stands for it. */
const nameIn = (values: Entry['oldValues'], words: string, key: 'name' | 'provider'): Sentence => {
  const name = textIn(values, key)
  if (name === null) return [key === 'name' ? 'a passkey' : 'a provider']
  return words === '' ? [{ name }] : [`${words} `, { name }]
}
/** The entry's own description inside a sentence, without its stop. */
const described = ({ entry }: Facts): string =>
  entry.description.charAt(0).toLowerCase() + entry.description.slice(1).replace(/\.$/, '')

const EVENT_SENTENCES: Readonly<Record<EventType, Say>> = {
  'app.created': named('created the app'),
  'app.updated': renamed,
  'app.deleted': named('deleted the app'),
  'audit_log.entries_deleted': ({ entry }) => [
    `deleted ${counted(numberIn(entry.newValues, 'count') ?? 0, 'old entry', 'old entries')} of this log`,
  ],
  'environment.created': named('created the environment'),
  'environment.updated': renamed,
  'environment.keys_renewed': newKeys,
  'environment.deleted': named('deleted the environment'),
  'invite.created': ({ entry }) => say`invited somebody as ${roleIn(entry.newValues)}`,
  'invite.accepted': ({ entry }) =>
    say`accepted an invite, and became a member as ${roleIn(entry.newValues)}`,
  'invite.resent': words('mailed an invite again'),
  'invite.cancelled': ({ entry }) => say`withdrew an invite as ${roleIn(entry.oldValues)}`,
  'job.retried': ({ entry }) => [
    `put ${counted(numberIn(entry.newValues, 'count') ?? 0, 'failed job')} in the queue again`,
  ],
  'job.dropped': ({ entry }) => [`deleted ${counted(numberIn(entry.oldValues, 'count') ?? 0, 'failed job')}`],
  'member.access_changed': access,
  'member.role_changed': (facts) =>
    say`changed ${thing(facts)} from ${roleIn(facts.entry.oldValues)} to ${roleIn(facts.entry.newValues)}`,
  'member.removed': withTokens('removed'),
  'organisation.created': named('created the organisation'),
  'organisation.updated': renamed,
  'organisation.ownership_transferred': ({ entry, nameOf }) =>
    say`made ${about.person(nameOf, entry.newValues?.ownerId, 'another member')} the Owner, in place of ${about.person(nameOf, entry.oldValues?.ownerId, 'the former one')}`,
  'role.created': named('created the role'),
  'role.updated': named('changed the role'),
  'role.deleted': named('deleted the role'),
  'secret.created': secrets('created'),
  'secret.updated': secrets('changed'),
  'secret.deleted': secrets('deleted'),
  'secret.restored': secrets('brought back an earlier version of'),
  'secret.override_changed': secrets('changed their own values of'),
  'secret.read': secrets('read'),
  'service_account.created': (facts) =>
    say`created the service account ${thing(facts)} as ${roleIn(facts.entry.newValues)}, with a first token`,
  'service_account.updated': accountChange,
  'service_account.access_changed': access,
  'service_account.deleted': withTokens('deleted the service account'),
  'session.ended': (facts) => [
    facts.entry.description === 'Signed out.' ? 'signed out' : `ended a session: ${described(facts)}`,
  ],
  'token.created': (facts) =>
    say`created the token ${thing(facts)}${owner(facts)}${until(facts.entry.newValues)}`,
  'token.deleted': (facts) => say`revoked the token ${thing(facts)}${owner(facts)}`,
  'user.registered': words('registered'),
  'user.email_verified': words('verified their e-mail address'),
  'user.link_allowed': words('let the next single sign-on of an account link its identity'),
  'user.reset_link_created': ({ entry }) => [
    `created a link that sets a new password${entry.newValues?.removesSecondFactors === true ? ' and removes the second factors' : ''} of an account`,
  ],
  'user.second_factors_removed': words(
    'removed all second factors of their account, with a link of an operator',
  ),
  'user.passkey_added': ({ entry }) => say`added ${nameIn(entry.newValues, 'the passkey', 'name')}`,
  'user.passkey_removed': ({ entry }) => say`removed ${nameIn(entry.oldValues, 'the passkey', 'name')}`,
  'user.totp_added': words('set up an authenticator app'),
  'user.totp_removed': words('removed their authenticator app'),
  'user.recovery_codes_renewed': words('made new recovery codes; the old ones are void'),
  'user.second_factor_asked': words('gave the right password, and was asked for a second factor'),
  'user.signed_in': (facts) => [described(facts)],
  'user.sign_in_failed': (facts) => [
    facts.entry.description === 'Sign-in failed.'
      ? 'failed to sign in'
      : `failed to sign in: ${described(facts)}`,
  ],
  'user.identity_linked': ({ entry }) =>
    say`linked their account to sign-in with ${nameIn(entry.newValues, '', 'provider')}`,
  'user.identity_unlinked': ({ entry }) =>
    say`unlinked their account from sign-in with ${nameIn(entry.oldValues, '', 'provider')}`,
  'user.password_changed': passwordChange('changed their password'),
  'user.password_reset': passwordChange('set a new password with a reset link'),
}

/** The sentence of every event and refusal. */
export const SENTENCES: Readonly<Record<string, Say>> = { ...EVENT_SENTENCES, ...REFUSAL_SENTENCES }

/** What an entry says after the name of who did it; the API's description for an event that this console doesn't know. */
export function sentenceOf(entry: Entry, nameOf: NameOf): Sentence {
  const sentence = Object.hasOwn(SENTENCES, entry.eventType) ? (SENTENCES[entry.eventType] ?? null) : null
  return sentence === null ? [`did this: ${entry.description}`] : sentence({ entry, nameOf })
}

/** Who did it. Nobody is known where a sign-in led to no account. */
export function actorOf({ actorType, actorMetadata }: Entry): string {
  if (actorType === 'operator') return 'An operator'
  return textIn(actorMetadata, 'name') || 'Somebody unknown'
}

/** Whether a request was refused, or a sign-in failed. */
export const isRefused = ({ eventType }: Pick<Entry, 'eventType'>): boolean =>
  eventType.endsWith('_refused') || eventType === 'user.sign_in_failed'

/** An event's type in words, for filters: "Member role changed". */
export function eventLabel(eventType: string): string {
  const words = eventType.replaceAll(/[_.]/g, ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
