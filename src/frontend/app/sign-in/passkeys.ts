import { answer, api } from '../api/client.ts'
import { ApiError } from '../api/errors.ts'

/** Whether this browser can use passkeys at this address: only over https or on localhost, and never for an IP address. */
export const passkeysWork = (): boolean =>
  window.isSecureContext &&
  typeof PublicKeyCredential === 'function' &&
  'parseRequestOptionsFromJSON' in PublicKeyCredential &&
  !/^[\d.]+$|:/.test(location.hostname)

/** Whether this browser offers passkeys where it fills in a field. */
export const autofillsPasskeys = async (): Promise<boolean> =>
  passkeysWork() &&
  'isConditionalMediationAvailable' in PublicKeyCredential &&
  (await PublicKeyCredential.isConditionalMediationAvailable())

/** What a passkey is to answer: to sign in by itself, or with the ticket of a sign-in that waits for it. */
export async function passkeyOptions(ticket?: string): Promise<PublicKeyCredentialRequestOptions> {
  const options = await answer(api.service.auth.passkeys.options.post(ticket === undefined ? {} : { ticket }))
  return PublicKeyCredential.parseRequestOptionsFromJSON(
    options as unknown as PublicKeyCredentialRequestOptionsJSON,
  )
}

/** An answer of a passkey, for the API: the browser asks for one at once. */
export async function askForPasskey(ticket?: string): Promise<PasskeyAnswer> {
  const publicKey = await passkeyOptions(ticket)
  return toAnswer(await navigator.credentials.get({ publicKey }).catch(explain))
}

/** The answer of a passkey that is chosen where the browser fills in a field marked `webauthn`; it may never come. */
export const passkeyOutOfAutofill = async (
  publicKey: PublicKeyCredentialRequestOptions,
  signal: AbortSignal,
): Promise<PasskeyAnswer> =>
  toAnswer(await navigator.credentials.get({ publicKey, mediation: 'conditional', signal }))

/** A new passkey of this browser or of a security key, for the API. */
export async function makePasskey(options: unknown): Promise<NewPasskey> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as PublicKeyCredentialCreationOptionsJSON,
  )
  return toAnswer(await navigator.credentials.create({ publicKey }).catch(explain)) as unknown as NewPasskey
}

export type PasskeyAnswer = Parameters<(typeof api.service.auth.passkeys)['sign-in']['post']>[0]['passkey']
type NewPasskey = Parameters<typeof api.service.auth.passkeys.post>[0]['passkey']

function toAnswer(credential: Credential | null): PasskeyAnswer {
  if (credential === null) throw new ApiError(0, 'The browser gave no passkey. Try again.')
  return (credential as PublicKeyCredential).toJSON() as PasskeyAnswer
}

/** Browsers tell little of why it did not work, and that in words for programmers. */
function explain(error: unknown): never {
  const name = (error as Error).name
  if (name === 'InvalidStateError') throw new ApiError(0, 'This device holds a passkey of yours already.')
  if (name === 'SecurityError') throw new ApiError(0, 'Passkeys don’t work at this address.')
  throw new ApiError(0, 'No passkey was used: it was cancelled, or took too long. Try again.')
}
