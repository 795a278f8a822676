import type { Resource } from './resources.ts'

/** What the documentation tells of an event, and which fields it has. */
export type Definition = Readonly<{
  resource: Resource
  /** What happened, in a sentence for the documentation. */
  meaning: string
  /** The fields of `resourceMetadata`. */
  metadata?: readonly string[]
  /** The fields of `oldValues` and `newValues`. */
  old?: readonly string[]
  new?: readonly string[]
}>

/** What happens to accounts: registration, sign-in, and what proves who somebody is. */
export const ACCOUNT_EVENTS = {
  'user.registered': { resource: 'user', meaning: 'An account was registered.' },
  'user.email_verified': { resource: 'user', meaning: 'The e-mail address of an account was verified.' },
  'user.link_allowed': {
    resource: 'user',
    meaning: 'An operator let the next single sign-on with the address of an account link its identity.',
    new: ['until'],
  },
  'user.reset_link_created': {
    resource: 'user',
    meaning: 'An operator created a link that sets a new password, and may remove the second factors.',
    new: ['expiresAt', 'removesSecondFactors'],
  },
  'user.second_factors_removed': {
    resource: 'user',
    meaning: 'A link of an operator was used that removes all second factors: how many there were.',
    old: ['passkeys', 'totp', 'recoveryCodes'],
  },
  'user.passkey_added': {
    resource: 'user',
    new: ['passkeyId', 'name'],
    meaning: 'A passkey was added to an account.',
  },
  'user.passkey_removed': {
    resource: 'user',
    old: ['passkeyId', 'name'],
    meaning: 'A passkey was removed from an account.',
  },
  'user.totp_added': { resource: 'user', meaning: 'An authenticator app was set up for an account.' },
  'user.totp_removed': { resource: 'user', meaning: 'The authenticator app of an account was removed.' },
  'user.recovery_codes_renewed': {
    resource: 'user',
    meaning: 'An account was given new recovery codes; the old ones are void.',
  },
  'user.second_factor_asked': {
    resource: 'user',
    meaning: 'A password was right, and a second factor was asked for.',
  },
  'user.signed_in': { resource: 'user', meaning: 'A user signed in.' },
  'user.sign_in_failed': {
    resource: 'user',
    meaning:
      'A sign-in to an account failed, or a single sign-on that led to no account: then the id of its actor is all zeros. Failures of one minute share an entry with their count.',
  },
  'user.identity_linked': {
    resource: 'user',
    new: ['provider', 'by'],
    meaning:
      'Single sign-on with a provider was added to an account; `by` tells why it could be: `session`, `operator`, `invite` or `registration`.',
  },
  'user.identity_unlinked': {
    resource: 'user',
    old: ['provider'],
    meaning: 'Single sign-on with a provider was removed from an account.',
  },
  'user.password_changed': {
    resource: 'user',
    new: ['revokedTokens'],
    meaning: 'A password was changed; all sessions of the account ended.',
  },
  'user.password_reset': {
    resource: 'user',
    new: ['revokedTokens'],
    meaning: 'A password was set by a reset link; all sessions of the account ended.',
  },
} as const satisfies Readonly<Record<string, Definition>>
