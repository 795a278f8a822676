import { createHmac } from 'node:crypto'
import type { Context } from '../../context.ts'
import { isSameText } from '../constant-time.ts'

/** What a link is for. Its token is valid for this purpose only. */
export type LinkPurpose = 'invite' | 'verify-email' | 'reset-password'

/** How long each link that is mailed or handed over is valid. */
export const EMAIL_LINK_SECONDS = { 'verify-email': 24 * 3600, 'reset-password': 3600 } as const

/** The row of a link; `nonce` is 32 random bytes that only the database knows. */
export type LinkRow = Readonly<{ id: string; nonce: Uint8Array }>

/**
 * The token of a link: the row's id, then an HMAC under SECRET_KEY of purpose, id and nonce. It is computed when it is
 * needed, and never stored.
 */
export function linkToken(ctx: Context, purpose: LinkPurpose, row: LinkRow): string {
  const mac = createHmac('sha256', ctx.config.secretKey)
    .update(`keyward/link/${purpose}/${row.id}/`)
    .update(row.nonce)
    .digest('base64url')
  return row.id.replaceAll('-', '') + mac
}

/** The URL of a link. The token is in the fragment, which browsers don't send to a server. */
export const linkUrl = (ctx: Context, purpose: LinkPurpose, row: LinkRow): string =>
  `${ctx.config.origin}/${purpose}#${linkToken(ctx, purpose, row)}`

/** The id of the row that a token names, unverified; null for malformed tokens. */
export function linkRowId(token: string): string | null {
  const id = FORM.exec(token)?.slice(1)
  return id === undefined ? null : id.join('-')
}

/** Whether a token is the one of this row's link for this purpose, compared in constant time. */
export const isLinkOf = (ctx: Context, purpose: LinkPurpose, row: LinkRow, token: string): boolean =>
  isSameText(token, linkToken(ctx, purpose, row))

const FORM = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})[A-Za-z0-9_-]{43}$/
