import { type Letter, typed } from '../mail/letter.ts'

/** The mail that brings an invite's link. */
export const inviteLetter = (invite: {
  organisation: string
  host: string
  url: string
  expiresAt: Date
}): Letter => ({
  subject: `Join ${typed(invite.organisation)} on Keyward`,
  opening: [`You are invited to join ${typed(invite.organisation)} on Keyward at ${invite.host}.`],
  action: {
    hint: `Follow this link to accept. It is valid until ${dayOf(invite.expiresAt)} and for this address only:`,
    label: 'Accept the invite',
    url: invite.url,
  },
  closing: ['If you did not expect this, ignore this mail.'],
})

const dayOf = (at: Date): string =>
  at.toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })
