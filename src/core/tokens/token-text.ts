import { hash, randomBytes } from 'node:crypto'

/** The kind of a token: a personal access token, a service account token, a session token, or a session cookie. */
export type TokenKind = 'pat' | 'sat' | 'ses' | 'cookie'

const PREFIX: Readonly<Record<TokenKind, string>> = {
  pat: 'kw_pat_',
  sat: 'kw_sat_',
  ses: 'kw_ses_',
  cookie: 'kw_ck_',
}
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const FORM = /^(kw_(?:pat|sat|ses|ck)_)([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/

/** A new token: prefix, 43 characters of base62 (256 random bits), 6 characters of checksum. */
export function newToken(kind: TokenKind): string {
  const body = PREFIX[kind] + randomBase62()
  return body + checksum(body)
}

/** The kind of a well-formed token with the right checksum; null for anything else. */
export function tokenKind(text: string): TokenKind | null {
  const [, prefix, random, sum] = FORM.exec(text) ?? []
  if (prefix === undefined || checksum(`${prefix}${random}`) !== sum) return null
  return (Object.keys(PREFIX) as TokenKind[]).find((kind) => PREFIX[kind] === prefix) ?? null
}

/** What is stored of a token: its SHA-256, 32 bytes. Finding it by an index leaks nothing of 256 random bits. */
export const hashToken = (text: string): Buffer => hash('sha256', text, 'buffer')

/** The first 32 bits of a SHA-256 over prefix and random part, in base62: catches a typo without a query. */
function checksum(body: string): string {
  let rest = hash('sha256', `checksum ${body}`, 'buffer').readUInt32BE()
  let text = ''
  for (let i = 0; i < 6; i++, rest = Math.floor(rest / 62)) text = BASE62.charAt(rest % 62) + text
  return text
}

/** 256 random bits as 43 digits of base62. */
function randomBase62(): string {
  let rest = BigInt(`0x${randomBytes(32).toString('hex')}`)
  let text = ''
  for (let i = 0; i < 43; i++, rest /= 62n) text = BASE62.charAt(Number(rest % 62n)) + text
  return text
}
