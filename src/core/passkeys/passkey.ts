import { type Static, Type } from '@sinclair/typebox'
import type { Limit } from '../limits.ts'
import { Name, Nullable, StrictObject, Text, Timestamp } from '../schema.ts'
import type { PasskeyRow } from './queries.ts'

/** How many passkeys an account can have. */
export const MOST_PASSKEYS: Limit = {
  holder: 'You',
  most: 20,
  what: 'passkeys',
  remedy: 'Remove one first.',
}

/** A passkey as its user sees it. */
export const Passkey = Type.Object({
  id: Type.String(),
  name: Type.String(),
  createdAt: Timestamp(),
  lastUsedAt: Nullable(Timestamp()),
})
export type Passkey = Static<typeof Passkey>

/** A passkey as it is shown. */
export const present = (row: PasskeyRow): Passkey => ({
  id: row.id,
  name: row.name,
  createdAt: row.created_at.toISOString(),
  lastUsedAt: row.last_used_at?.toISOString() ?? null,
})

const Base64Url = (maxLength: number, description: string) =>
  Text(maxLength, { minLength: 1, description: `${description}, base64url.` })

/** What browsers send of every credential. They may add fields, which are not looked at. */
const Credential = {
  id: Base64Url(1400, 'Id of the credential'),
  rawId: Base64Url(1400, 'The same id'),
  type: Type.Literal('public-key'),
}

/** The answer of `navigator.credentials.create`, by its `toJSON()`. */
export const PasskeyAttestation = Type.Object({
  ...Credential,
  response: Type.Object({
    clientDataJSON: Base64Url(4000, 'What the browser signed'),
    attestationObject: Base64Url(8000, 'The new public key'),
    transports: Type.Optional(Type.Array(Text(32), { maxItems: 16 })),
  }),
})
export type PasskeyAttestation = Static<typeof PasskeyAttestation>

/** The answer of `navigator.credentials.get`, by its `toJSON()`. */
export const PasskeyAssertion = Type.Object({
  ...Credential,
  response: Type.Object({
    clientDataJSON: Base64Url(4000, 'What the browser signed'),
    authenticatorData: Base64Url(4000, 'What the authenticator signed'),
    signature: Base64Url(2000, 'The signature'),
    userHandle: Type.Optional(Nullable(Text(100, { description: 'Whose passkey it is.' }))),
  }),
})
export type PasskeyAssertion = Static<typeof PasskeyAssertion>

/** The body that adds a passkey. */
export const AddPasskey = StrictObject({ name: Name(64), passkey: PasskeyAttestation })
export type AddPasskey = Static<typeof AddPasskey>

/** The body that asks for a challenge to sign in with. */
export const RequestAssertion = StrictObject({
  ticket: Type.Optional(Text(100, { description: 'The ticket of a sign-in that waits for the passkey.' })),
})
export type RequestAssertion = Static<typeof RequestAssertion>

/** The body that signs in with a passkey alone. */
export const PasskeySignIn = StrictObject({ passkey: PasskeyAssertion })
export type PasskeySignIn = Static<typeof PasskeySignIn>

const Descriptors = Type.Array(
  Type.Object({
    id: Type.String(),
    type: Type.Literal('public-key'),
    transports: Type.Array(Type.String()),
  }),
)

const challenge = {
  challenge: Type.String({ description: 'Valid for 5 minutes, for one answer.' }),
  timeout: Type.Integer({ description: 'Milliseconds.' }),
}

/** For `PublicKeyCredential.parseRequestOptionsFromJSON`. */
export const AssertionOptions = Type.Object({
  ...challenge,
  rpId: Type.String(),
  allowCredentials: Descriptors,
  userVerification: Type.Literal('required'),
})
export type AssertionOptions = Static<typeof AssertionOptions>

/** For `PublicKeyCredential.parseCreationOptionsFromJSON`. */
export const RegistrationOptions = Type.Object({
  ...challenge,
  rp: Type.Object({ id: Type.String(), name: Type.String() }),
  user: Type.Object({ id: Type.String(), name: Type.String(), displayName: Type.String() }),
  pubKeyCredParams: Type.Array(Type.Object({ type: Type.Literal('public-key'), alg: Type.Integer() })),
  attestation: Type.Literal('none'),
  excludeCredentials: Descriptors,
  authenticatorSelection: Type.Object({
    residentKey: Type.Literal('required'),
    requireResidentKey: Type.Boolean(),
    userVerification: Type.Literal('required'),
  }),
})
export type RegistrationOptions = Static<typeof RegistrationOptions>
