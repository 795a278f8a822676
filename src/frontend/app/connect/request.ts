/** What a command line asks for that opened the page: where it listens, its public key, and the name of its token. */
export type ConnectRequest = Readonly<{ port: number; publicKey: string; name: string }>

const FORM = /^(\d{1,5})-([0-9a-f]{64})-([\s\S]+)$/

/** The longest name of a token; a longer one of a computer is cut. */
const LONGEST_NAME = 64

/**
 * Reads the address that a command line opens: `/webauth/` and the base64 of `port-<X25519 public key, hex>-name`. That
 * may hold slashes, and browsers may have escaped some of it. Null for anything else.
 */
export function readConnectRequest(path: string): ConnectRequest | null {
  const [, portText = '', publicKey = '', name = ''] = FORM.exec(decode(path) ?? '') ?? []
  const port = Number(portText)
  // Below 1024 stand services of the system, which no command line listens on.
  if (port < 1024 || port > 65535) return null
  const shown = [...name.replace(/\p{C}/gu, '').trim()].slice(0, LONGEST_NAME).join('')
  return shown === '' ? null : { port, publicKey, name: shown }
}

function decode(path: string): string | null {
  const start = '/webauth/'
  if (!path.startsWith(start)) return null
  try {
    const base64 = wholeGroups(decodeURIComponent(path.slice(start.length)))
    return new TextDecoder('utf-8', { fatal: true }).decode(
      Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)),
    )
  } catch {
    return null
  }
}

/** Base64 comes in groups of four: a slash that is one too many was added to the path. */
const wholeGroups = (text: string): string => (text.length % 4 === 1 ? text.replace(/\/$/, '') : text)
