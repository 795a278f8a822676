import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { isoCBOR } from '@simplewebauthn/server/helpers'

/** What a test changes about an answer, to see it refused. */
export type Deviation = Partial<{
  origin: string
  rpId: string
  /** Whether the authenticator has verified its user. */
  verified: boolean
  counter: number
  crossOrigin: boolean
  topOrigin: string
  userHandle: string | null
  type: string
  /** An attestation that nobody asked for. */
  statement: Readonly<{ fmt: string; attStmt: Map<string, unknown> }>
}>

type CreationOptions = Readonly<{
  challenge: string
  rp: { id: string }
  user: { id: string }
}>
type RequestOptions = Readonly<{
  challenge: string
  rpId: string
  allowCredentials: readonly { id: string }[]
}>

/** A passkey in software, with a P-256 key, and the browser around it: what answers `navigator.credentials`. */
export type Authenticator = ReturnType<typeof softwareAuthenticator>

/** An authenticator that holds one passkey, once it has created it. Its counter rises with each use. */
export function softwareAuthenticator(origin = 'http://localhost') {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return authenticatorWith(origin, { privateKey, publicKey, id: randomBytes(32), userHandle: '', counter: 0 })
}

type State = { privateKey: KeyObject; publicKey: KeyObject; id: Buffer; userHandle: string; counter: number }

function authenticatorWith(origin: string, state: State) {
  const clientData = (type: string, challenge: string, change: Deviation) =>
    base64Url(
      JSON.stringify({
        type: change.type ?? type,
        challenge,
        origin: change.origin ?? origin,
        crossOrigin: change.crossOrigin ?? false,
        ...(change.topOrigin !== undefined && { topOrigin: change.topOrigin }),
      }),
    )
  const named = () => ({ id: base64Url(state.id), rawId: base64Url(state.id), type: 'public-key' as const })
  const next = (change: Deviation) => {
    state.counter = change.counter ?? state.counter + 1
    return state.counter
  }
  return {
    id: base64Url(state.id),
    /** A copy of the authenticator, with the counter as it is now. */
    clone: () => authenticatorWith(origin, { ...state }),
    /** Answers `navigator.credentials.create`. */
    create: (options: CreationOptions, change: Deviation = {}) => {
      state.userHandle = options.user.id
      const data = Buffer.concat([
        authData(change.rpId ?? options.rp.id, FLAGS.attested | flagsOf(change), next(change)),
        Buffer.alloc(16),
        uint16(state.id.length),
        state.id,
        coseKey(state.publicKey),
      ])
      const { fmt = 'none', attStmt = new Map() } = change.statement ?? {}
      const attestation = new Map<string, unknown>([
        ['fmt', fmt],
        ['attStmt', attStmt],
        ['authData', new Uint8Array(data)],
      ])
      return {
        ...named(),
        response: {
          clientDataJSON: clientData('webauthn.create', options.challenge, change),
          attestationObject: base64Url(Buffer.from(cbor(attestation))),
          transports: ['internal'],
        },
      }
    },
    /** Answers `navigator.credentials.get`. */
    get: (options: RequestOptions, change: Deviation = {}) => {
      const data = authData(change.rpId ?? options.rpId, flagsOf(change), next(change))
      const clientDataJSON = clientData('webauthn.get', options.challenge, change)
      const hash = createHash('sha256').update(Buffer.from(clientDataJSON, 'base64url')).digest()
      const signature = sign('sha256', Buffer.concat([data, hash]), state.privateKey)
      const userHandle = change.userHandle === undefined ? state.userHandle : change.userHandle
      return {
        ...named(),
        response: {
          clientDataJSON,
          authenticatorData: base64Url(data),
          signature: base64Url(signature),
          userHandle,
        },
      }
    },
  }
}

const FLAGS = { present: 1, verified: 4, attested: 64 }

const flagsOf = ({ verified = true }: Deviation): number => FLAGS.present | (verified ? FLAGS.verified : 0)

function authData(rpId: string, flags: number, counter: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(counter)
  return Buffer.concat([createHash('sha256').update(rpId).digest(), Buffer.from([flags]), bytes])
}

function coseKey(publicKey: KeyObject): Buffer {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const coordinate = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'))
  return Buffer.from(
    cbor(
      new Map<number, unknown>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, coordinate(x)],
        [-3, coordinate(y)],
      ]),
    ),
  )
}

const cbor = (value: unknown) => isoCBOR.encode(value as Parameters<typeof isoCBOR.encode>[0])

const uint16 = (value: number): Buffer => Buffer.from([value >> 8, value & 255])

const base64Url = (bytes: Buffer | string): string => Buffer.from(bytes).toString('base64url')
