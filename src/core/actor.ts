import type { Permissions, RoleKind } from './permissions.ts'

/** Where a request came from, as the audit trail keeps it. */
export type RequestOrigin = Readonly<{
  ipAddress: string | null
  userAgent: string | null
  requestId: string
}>

/** How a caller proved who it is; `secret` is the bearer text itself and never leaves the request. */
export type Credential = Readonly<{ kind: 'token' | 'session'; id: string; text: string }>

/** A caller that belongs to the organisation: a member, or a service account. */
export type Actor = Readonly<{
  type: 'user' | 'service_account'
  /** The membership's id, or the service account's. */
  id: string
  userId: string | null
  name: string
  email: string | null
  organisation: Readonly<{ id: string }>
  role: Readonly<{ id: string; kind: RoleKind; name: string; permissions: Permissions }>
  credential: Credential
  origin: RequestOrigin
}>

/** A person who is signed in and belongs to no organisation. */
export type UserWithoutMembership = Readonly<{
  type: 'user'
  id: null
  userId: string
  name: string
  email: string
  credential: Credential
  origin: RequestOrigin
}>

/** Whoever a valid credential names. */
export type Caller = Actor | UserWithoutMembership

/** Whether a caller belongs to the organisation. */
export const isActor = (caller: Caller): caller is Actor => caller.id !== null
