import type { Context } from '../../context.ts'
import type { PasskeyAssertion, PasskeyAttestation } from './passkey.ts'

// The library is loaded with the first passkey: it takes 26 MB, which most processes never need.

/** EdDSA, ES256 and RS256: what every runtime verifies. */
export const ALGORITHMS = [-8, -7, -257]

/** An RSA key of 4096 bits takes about 530 bytes. Larger ones take too long to verify. */
const MOST_KEY_BYTES = 1024

/** Tells whether a challenge is the one that was to be answered. */
type ChallengeCheck = (challenge: string) => boolean

/** The credential that a browser has just created. */
export type VerifiedRegistration = Readonly<{ credentialId: Buffer; publicKey: Buffer; counter: number }>

/**
 * Verifies the answer of a browser that has created a passkey; null when it is not valid. Where the authenticator says
 * what it is, that is left out unread: it isn't asked for, and its certificates could name addresses to fetch.
 */
export async function verifyRegistration(
  { config }: Context,
  { id, rawId, type, response }: PasskeyAttestation,
  isExpected: ChallengeCheck,
): Promise<VerifiedRegistration | null> {
  try {
    if (isInForeignFrame(response.clientDataJSON)) return null
    const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
    const attestationObject = await withoutStatement(response.attestationObject)
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: {
        ...{ id, rawId, type, clientExtensionResults: {} },
        response: { clientDataJSON: response.clientDataJSON, attestationObject },
      },
      expectedChallenge: isExpected,
      expectedOrigin: config.origin,
      expectedRPID: config.host,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    })
    if (!verified) return null
    const { credential } = registrationInfo
    const credentialId = Buffer.from(credential.id, 'base64url')
    const publicKey = Buffer.from(credential.publicKey)
    if (credentialId.length > 1023 || publicKey.length > MOST_KEY_BYTES) return null
    return { credentialId, publicKey, counter: credential.counter }
  } catch {
    return null
  }
}

/**
 * Verifies the answer of a browser that has used a passkey, the user verified; null when it is not valid. Gives the
 * counter, which the database compares.
 */
export async function verifyAssertion(
  { config }: Context,
  { id, rawId, type, response }: PasskeyAssertion,
  publicKey: Uint8Array,
  isExpected: ChallengeCheck,
): Promise<{ counter: number } | null> {
  try {
    if (isInForeignFrame(response.clientDataJSON)) return null
    const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
    const { clientDataJSON, authenticatorData, signature } = response
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: {
        ...{ id, rawId, type, clientExtensionResults: {} },
        response: { clientDataJSON, authenticatorData, signature },
      },
      expectedChallenge: isExpected,
      expectedOrigin: config.origin,
      expectedRPID: config.host,
      credential: { id, publicKey: new Uint8Array(publicKey), counter: 0 },
      requireUserVerification: true,
    })
    return verified ? { counter: authenticationInfo.newCounter } : null
  } catch {
    return null
  }
}

/** The library lets a page of another origin pass that shows ours in a frame. */
function isInForeignFrame(clientDataJSON: string): boolean {
  const { crossOrigin, topOrigin } = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString())
  return crossOrigin === true || topOrigin !== undefined
}

async function withoutStatement(attestationObject: string): Promise<string> {
  const { decodeAttestationObject, isoCBOR } = await import('@simplewebauthn/server/helpers')
  const bytes = new Uint8Array(Buffer.from(attestationObject, 'base64url'))
  const bare = new Map<string, unknown>([
    ['fmt', 'none'],
    ['attStmt', new Map()],
    ['authData', decodeAttestationObject(bytes).get('authData')],
  ])
  return Buffer.from(isoCBOR.encode(bare as Parameters<typeof isoCBOR.encode>[0])).toString('base64url')
}
