import { type Static, Type } from '@sinclair/typebox'
import type { Caller } from '../actor.ts'
import { Timestamp } from '../schema.ts'
import type { SessionRow } from './queries.ts'

/** Whoever is signed in: a person, in the organisation or outside. The credential's id is the session's. */
export type SignedInUser = Caller & Readonly<{ type: 'user'; userId: string; email: string }>

/** A bearer for `/v1` under a session. */
export const SessionToken = Type.Object({
  accessToken: Type.String({ description: '`kw_ses_…`, for 15 minutes; it dies with its session.' }),
  expiresAt: Timestamp(),
})
export type SessionToken = Static<typeof SessionToken>

/** A sign-in, as its own person sees it. */
export const Session = Type.Object({
  id: Type.String(),
  current: Type.Boolean({ description: 'Whether this very request came with it.' }),
  ipAddress: Type.Union([Type.String(), Type.Null()]),
  userAgent: Type.Union([Type.String(), Type.Null()]),
  createdAt: Timestamp(),
  lastUsedAt: Timestamp(),
  expiresAt: Type.String({
    format: 'date-time',
    description: 'At the latest: seven idle days end it sooner.',
  }),
})
export type Session = Static<typeof Session>

/** A session as it is shown to somebody who calls with the session `currentId`. */
export const present = (row: SessionRow, currentId: string): Session => ({
  id: row.id,
  current: row.id === currentId,
  ipAddress: row.ip_address,
  userAgent: row.user_agent,
  createdAt: row.created_at.toISOString(),
  lastUsedAt: row.last_used_at.toISOString(),
  expiresAt: row.expires_at.toISOString(),
})
