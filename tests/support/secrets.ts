import { createHash } from 'node:crypto'
import { wrapForPublicKey } from '../../src/core/keys/wrapping.ts'
import { generateX25519Pair } from '../../src/core/keys/x25519.ts'
import { loadFastestAead } from '../../src/core/keys/xchacha20poly1305.ts'
import type { Answer, Client } from './api.ts'

await loadFastestAead()
const { publicKey } = generateX25519Pair()

/** A text sealed for some environment: the server can't tell for which. */
export const seal = (text: string): string => wrapForPublicKey(text, publicKey)

/** The digest of a key, as good as any: the server only compares it. */
export const digestOf = (key: string): string => createHash('sha256').update(key).digest('hex')

/** A secret as an end-to-end client sends it. */
export const sealedSecret = (key: string, value = 'value', more: object = {}) => ({
  key: seal(key),
  keyDigest: digestOf(key),
  value: seal(value),
  comment: '',
  tags: [],
  path: '/',
  ...more,
})

type Calls = Pick<Client, 'send'>
type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** A request to the end-to-end route about one environment. */
export const secretsOf =
  (client: Calls, environmentId: string) =>
  (method: Method, secrets?: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
    client.send(method, '/service/secrets/', {
      headers: { environment: environmentId, ...headers },
      ...(secrets !== undefined && { body: JSON.stringify({ secrets }) }),
    })
