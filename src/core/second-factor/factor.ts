import { type Static, Type } from '@sinclair/typebox'
import { PasskeyAssertion } from '../passkeys/passkey.ts'
import { Nullable, StrictObject, Text } from '../schema.ts'

/** What can prove a second factor. */
const FactorMethod = Type.Union([Type.Literal('passkey'), Type.Literal('totp'), Type.Literal('recovery')])
export type FactorMethod = Static<typeof FactorMethod>

/** The fields of a body that proves a second factor: exactly one is sent. */
export const FACTOR_FIELDS = {
  totp: Type.Optional(Text(16, { description: 'The six digits that the authenticator app shows.' })),
  recovery_code: Type.Optional(Text(64, { description: 'One of the recovery codes, which is then used.' })),
  passkey: Type.Optional(PasskeyAssertion),
}

/** A second factor as it is sent. */
export type SentFactor = Readonly<{ totp?: string; recovery_code?: string; passkey?: PasskeyAssertion }>

/** The body that completes a sign-in. */
export const CompleteSignIn = StrictObject({
  ticket: Text(100, { minLength: 1, description: 'From the answer to the password.' }),
  ...FACTOR_FIELDS,
})
export type CompleteSignIn = Static<typeof CompleteSignIn>

/** The answer to a right password of an account that has a second factor. */
export const SecondFactorAsked = Type.Object({
  secondFactor: Type.Object({
    ticket: Type.String({ description: 'Valid for 5 minutes, once, in this browser.' }),
    methods: Type.Array(FactorMethod, {
      description: 'What the account can prove it with.',
    }),
  }),
})
export type SecondFactorAsked = Static<typeof SecondFactorAsked>

/** What the caller's account has set up. */
export const Factors = Type.Object({
  passkeys: Type.Integer({ description: 'How many passkeys work with this host.' }),
  passkeysOfOtherHosts: Type.Integer({ description: 'How many were made under another HOST.' }),
  totp: Type.Boolean({ description: 'Whether there is an authenticator app.' }),
  recoveryCodes: Type.Integer({ description: 'How many recovery codes are left.' }),
  required: Type.Boolean({ description: 'Whether a second factor must be set up before anything else.' }),
})
export type Factors = Static<typeof Factors>

/** A secret for an authenticator app. */
export const TotpSecret = Type.Object({
  secret: Type.String({ description: 'Base32, to be typed into the app.' }),
  uri: Type.String({ description: '`otpauth://…`, to be shown as a QR code.' }),
})
export type TotpSecret = Static<typeof TotpSecret>

/** The body that confirms an authenticator app. */
export const ConfirmTotp = StrictObject({ totp: Text(16, { minLength: 1 }) })
export type ConfirmTotp = Static<typeof ConfirmTotp>

const Codes = Type.Array(Type.String(), { description: 'Each works once. They are returned only here.' })

/** New recovery codes. */
export const RecoveryCodes = Type.Object({ recoveryCodes: Codes })
export type RecoveryCodes = Static<typeof RecoveryCodes>

/** The recovery codes that come with a first factor. */
export const FirstRecoveryCodes = Type.Object({
  recoveryCodes: Nullable(Codes),
})
export type FirstRecoveryCodes = Static<typeof FirstRecoveryCodes>
