import type { Caller, RequestSource } from '../../core/actor.ts'
import type { ReadEvent } from '../../core/audit/reads.ts'
import type { IncomingBody } from './body.ts'

/** State of one request in progress. */
export type RequestState = {
  readonly source: RequestSource
  caller: Caller | null
  authentication: Promise<Caller> | null
  version: Promise<string> | null
  /** The path of the route, such as `/v1/roles/:id`. */
  route: string | null
  /** Whether the route's answers have an ETag. */
  hasETag: boolean
  /** Whether the route's answers may be sent from memory. */
  isRemembered: boolean
  /** Whether the route looks through much of the database. */
  isScan: boolean
  /** The query parameters that the route knows. */
  parameters: readonly string[]
  /** Headers for the response, whether it succeeds or fails. */
  readonly headers: Record<string, string>
  /** Counts milliseconds that chunks of its body have taken, where it has such. */
  spend: ((milliseconds: number) => void) | undefined
  body: IncomingBody | null
  /** What the audit log was told of what is answered: it is told again when that is answered from memory. */
  reading: ReadEvent | null
  /** Ends the caller's turn, once the response is made. */
  endTurn: (() => void) | null
  /** Ends the turn to make a large answer, once that is made and the work for it has ended. */
  endLargeRead: (() => void) | null
  /** Ends the turn to block the event loop, once the body is checked. */
  endBlocking: (() => void) | null
  /** Whether the work of its route has ended: it may go on after the answer, where it took too long. */
  isHandled: boolean
  isAnswered: boolean
}

/** Who sent a request that was let in with credentials. */
export function callerIn({ caller }: RequestState): Caller {
  if (caller === null) throw new Error('this route is public: there is no caller')
  return caller
}
