import { Type } from 'typebox'
import type { JobDefinition } from '../platform/queue/queue.ts'
import { NOTICE_KINDS } from './notices/notice.ts'

/** Retries for about half a day. A link is checked again before it is mailed. */
const mail = { retryLimit: 12, retryDelaySeconds: 15, backoff: true, expireSeconds: 120 } as const

const Id = Type.String({ pattern: '^[0-9a-f-]{36}$' })

/** Mails an invite's link. */
export const SEND_INVITE = {
  ...mail,
  name: 'send-invite',
  payload: Type.Object({ inviteId: Id }),
} as const satisfies JobDefinition

/** Mails the link that proves an e-mail address. */
export const SEND_VERIFICATION = {
  ...mail,
  name: 'send-verification',
  payload: Type.Object({ linkId: Id }),
} as const satisfies JobDefinition

/** Mails the link that sets a new password. */
export const SEND_PASSWORD_RESET = {
  ...mail,
  name: 'send-password-reset',
  payload: Type.Object({ linkId: Id }),
} as const satisfies JobDefinition

/** Mails a user what happened to the account or membership. */
export const SEND_NOTICE = {
  ...mail,
  name: 'send-notice',
  payload: Type.Object({
    userId: Id,
    notice: Type.Enum(NOTICE_KINDS),
    /** What the notice names: the role, the provider, the passkey; three environments, each with its app, at most. */
    name: Type.String({ maxLength: 1000 }),
    byUserId: Type.Optional(Id),
  }),
} as const satisfies JobDefinition

/** Every job that use cases enqueue. */
export const QUEUED_JOBS = [SEND_INVITE, SEND_VERIFICATION, SEND_PASSWORD_RESET, SEND_NOTICE] as const
export type QueuedJob = (typeof QUEUED_JOBS)[number]

/**
 * The jobs whose number the metrics tell. Links are not among them: anyone may ask for one, and only an address with an
 * account gets a job, so that their number would tell who has an account.
 */
export const MEASURED_JOBS: readonly string[] = [SEND_INVITE.name, SEND_NOTICE.name, 'remove-expired']
