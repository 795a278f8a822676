import type { Sharer } from '../platform/turn-queues.ts'
import type { Permissions, RoleKind } from './permissions.ts'

/** Where a request came from, as the audit log keeps it. A browser's `Origin` is something else. */
export type RequestSource = Readonly<{
  ipAddress: string | null
  userAgent: string | null
  requestId: string
}>

/** How a caller proved who it is; `text` is the token or cookie itself, kept for the duration of the request only. */
export type Credential = Readonly<{ kind: 'token' | 'session'; id: string; text: string }>

/** A caller that is a principal of the organisation: a member or a service account. */
export type Actor = Readonly<{
  type: 'user' | 'service_account'
  /** The membership's id, or the service account's. */
  id: string
  /**
   * Whose part it takes of what all callers share: its own, or of a service account that of the member who made its token, or
   * who made the token with which it was made, and so on. So nobody gets more by more service accounts.
   */
  responsibleId: string
  /**
   * Which branch of that part: its own, or where other service accounts made the token, that of the one whose token the
   * responsible member made, at the beginning of the chain.
   */
  branchId: string
  /**
   * The member whose share the responsible member takes part in: whoever without global access invited it, or the one in
   * whose share that one is. Null: it has its own share. So nobody gets more by inviting more accounts.
   */
  shareOf?: string | null
  userId: string | null
  name: string
  email: string | null
  organisation: Readonly<{ id: string }>
  role: Readonly<{ id: string; kind: RoleKind; name: string; permissions: Permissions }>
  credential: Credential
  source: RequestSource
  /** Whether it may only set up the second factor that is required. */
  lacksRequiredFactor?: boolean
  /** Throws as the route does that it called, where somebody with another role may not call it: the role may have changed. */
  checkAgain?: (actor: Actor) => void
}>

/** A signed-in user who is not a member of an organisation. */
type UserWithoutMembership = Readonly<{
  type: 'user'
  id: null
  userId: string
  name: string
  email: string
  credential: Credential
  source: RequestSource
  lacksRequiredFactor?: boolean
}>

/** The user or service account that a valid credential names. */
export type Caller = Actor | UserWithoutMembership

/** The caller's own id: of the principal, or of a user without a membership. */
export const callerId = (caller: Caller): string => caller.id ?? caller.userId

/**
 * The caller as one of those that share: service accounts have the share of the member who is responsible for them, and all
 * users without a membership have one together, as strangers can register any number.
 */
export const sharerOf = (caller: Caller): Sharer =>
  isActor(caller)
    ? caller
    : { responsibleId: 'without membership', branchId: caller.userId, id: caller.userId }

/** A caller in another share than its own, of this name, so that it waits for nothing that it does in its own. */
export function inAnotherShare(caller: Sharer, name: string): Sharer {
  if (typeof caller === 'string') return `${name} ${caller}`
  const { responsibleId, shareOf = null } = caller
  return shareOf === null
    ? { ...caller, responsibleId: `${name} ${responsibleId}` }
    : { ...caller, shareOf: `${name} ${shareOf}` }
}

/** The member whose share an actor takes part in. */
export const shareOf = (actor: Actor): string => actor.shareOf ?? actor.responsibleId

/**
 * What a limit over a long time counts an actor by: a member by itself, and all service accounts that it is responsible for
 * together. So a service account uses up nothing of the member's own.
 */
export const countedAs = ({ id, responsibleId }: Actor): readonly string[] => [
  responsibleId,
  ...(id === responsibleId ? [] : ['service accounts']),
]

/** Whether a caller is a principal of the organisation. */
export const isActor = (caller: Caller): caller is Actor => caller.id !== null
