import type { Letter } from '../mail/letter.ts'

type Link = Readonly<{ host: string; url: string }>

/** The mail that brings the link that verifies an address. */
export const verificationLetter = ({ host, url }: Link): Letter => ({
  subject: 'Verify your e-mail address',
  opening: [`Someone registered an account with this address on Keyward at ${host}.`],
  action: {
    hint: 'Follow this link within 24 hours to verify the address:',
    label: 'Verify the address',
    url,
  },
  closing: ['If this was not you, ignore this mail: without the link nobody can sign in to the account.'],
})

/** The mail that brings the link that sets a new password. */
export const passwordResetLetter = ({ host, url }: Link): Letter => ({
  subject: 'Set a new password',
  opening: [`Someone requested a new password for your account on Keyward at ${host}.`],
  action: { hint: 'Follow this link within an hour to set a new one:', label: 'Set a new password', url },
  closing: [
    'A new password ends all your sessions. Your personal access tokens keep working unless you revoke them.',
    'If this was not you, ignore this mail: your password stays as it is.',
  ],
})
