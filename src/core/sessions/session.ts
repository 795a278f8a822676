import { type Static, Type } from '@sinclair/typebox'
import type { Caller } from '../actor.ts'
import { Timestamp } from '../schema.ts'
import type { SessionRow } from './queries.ts'

/** A signed-in user, with or without a membership. The credential's id is the session's. */
export type SignedInUser = Caller & Readonly<{ type: 'user'; userId: string; email: string }>

/** A token for `/v1` under a session. */
export const SessionToken = Type.Object({
  accessToken: Type.String({
    description: '`kw_ses_…`, valid for 15 minutes and no longer than its session.',
  }),
  expiresAt: Timestamp(),
})
export type SessionToken = Static<typeof SessionToken>

/** A session, as its own user sees it. */
export const Session = Type.Object({
  id: Type.String(),
  current: Type.Boolean({ description: 'Whether it is the session of this request.' }),
  ipAddress: Type.Union([Type.String(), Type.Null()]),
  userAgent: Type.Union([Type.String(), Type.Null()]),
  createdAt: Timestamp(),
  lastUsedAt: Timestamp(),
  expiresAt: Type.String({
    format: 'date-time',
    description: 'Latest end; seven days without use end it sooner.',
  }),
})
export type Session = Static<typeof Session>

/** A session as its user sees it who calls with the session `currentId`. */
export const present = (row: SessionRow, currentId: string): Session => ({
  id: row.id,
  current: row.id === currentId,
  ipAddress: row.ip_address,
  userAgent: row.user_agent,
  createdAt: row.created_at.toISOString(),
  lastUsedAt: row.last_used_at.toISOString(),
  expiresAt: row.expires_at.toISOString(),
})
