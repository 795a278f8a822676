/** Why the database can serve no request at the moment. */
export type Outage =
  | 'unreachable'
  | 'late'
  | 'busy'
  | 'crowded'
  | 'refusing'
  | 'untrusted'
  | 'read-only'
  | 'disk-full'
  | 'storage'
  | 'memory'
  | 'limit'

/** A statement or a transaction was not answered within its deadline, and its connection was given up. */
export class DeadlinePassed extends Error {
  override readonly name = 'DeadlinePassed'
  readonly code = DEADLINE_PASSED
  constructor() {
    super('The database did not answer in time.')
  }
}

/** The database was lost after it was told to make a change: the change may or may not have been made. */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown'
  readonly code: unknown
  constructor(cause: unknown) {
    super('The database was lost in the middle of a change.', { cause })
    this.code = (cause as { code?: unknown } | null)?.code
  }
}

/** The outage that an error of the database stands for; null when a statement was wrong, or nobody knows. */
export function outageOf(error: unknown): Outage | null {
  const { code, syscall } = (error ?? {}) as { code?: unknown; syscall?: unknown }
  if (typeof code !== 'string') return isOfSocket(error) ? 'unreachable' : null
  // Without a socket's file there is no server; elsewhere the same codes are about other files.
  if (syscall === 'connect' && /^(ENOENT|EACCES|EPERM|EMFILE|ENFILE)$/.test(code)) return 'unreachable'
  return OUTAGES.get(code) ?? OUTAGE_CLASSES.get(code.length === 5 ? code.slice(0, 2) : '') ?? null
}

/** The sockets of workerd throw errors without a code when the other side has gone. */
const isOfSocket = (error: unknown): boolean =>
  error instanceof Error && /\bSocket\._write\w* \(node-internal:/.test(error.stack ?? '')

/** What an outage is, for people: one sentence or two. */
export function outageSentence(outage: Outage): string {
  return SENTENCES[outage]
}

/** Whether an error says that the database cannot be reached at the moment, rather than that a statement was wrong. */
export function isUnavailable(error: unknown): boolean {
  const outage = outageOf(error)
  return outage === 'unreachable' || outage === 'late' || outage === 'crowded'
}

/** Whether an error leaves open what became of the statements that were under way. */
export function isLoss(error: unknown): boolean {
  const outage = outageOf(error)
  return outage === 'unreachable' || outage === 'late'
}

const DEADLINE_PASSED = 'DEADLINE_PASSED'

const SENTENCES: Readonly<Record<Outage, string>> = {
  unreachable: 'The database cannot be reached at the moment.',
  late: 'The database did not answer in time. Try again in a second.',
  busy: 'The database is busy at the moment. Try again in a second.',
  crowded: 'The database takes no more connections at the moment.',
  refusing:
    'The database refuses to let Keyward in: its user, its password or its name is not what Keyward was given.',
  untrusted: "The database's certificate is not one that Keyward trusts.",
  'read-only': 'The database is read-only at the moment: it can be read, and changes are refused.',
  'disk-full': "The database's disk is full: changes are refused until there is room again.",
  storage: 'The database cannot use its storage at the moment.',
  memory: 'The database has run out of memory. Try again in a second.',
  limit: 'The database has reached a limit of its own configuration. Try again in a second.',
}

/**
 * By the code of the driver, of the socket or of PostgreSQL (its appendix "Error Codes"). What is not here is a fault
 * that stays however often the request is sent: 25P02, 42501, 54000, corrupted data (XX001, XX002) and the like.
 */
const OUTAGES: ReadonlyMap<string, Outage> = new Map([
  ...codes('late', DEADLINE_PASSED),
  ...codes('unreachable', 'CONNECTION_CLOSED', 'CONNECTION_ENDED', 'CONNECTION_DESTROYED', 'CONNECT_TIMEOUT'),
  ...codes('unreachable', 'ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH'),
  ...codes('unreachable', 'EHOSTDOWN', 'ENETUNREACH', 'ENETDOWN', 'ENETRESET', 'EADDRNOTAVAIL', 'ENOBUFS'),
  ...codes('unreachable', 'ENOTCONN', 'ESHUTDOWN', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END'),
  ...codes('unreachable', 'ERR_SOCKET_CLOSED', 'ERR_SOCKET_CLOSED_BEFORE_CONNECTION'),
  ...codes('unreachable', 'ENOTFOUND', 'ENODATA', 'ESERVFAIL', 'ECONNFAILED', 'EAI_AGAIN', 'EAI_FAIL'),
  ...codes('unreachable', 'EAI_NODATA', 'EAI_NONAME', 'DNS_ENOTFOUND', 'DNS_ESERVFAIL', 'DNS_ETIMEOUT'),
  // admin_shutdown, crash_shutdown, cannot_connect_now, idle_session_timeout
  ...codes('unreachable', '57P01', '57P02', '57P03', '57P05'),
  // invalid_authorization_specification, invalid_password, invalid_catalog_name, database_dropped
  ...codes('refusing', '28000', '28P01', '3D000', '57P04', 'SASL_SIGNATURE_MISMATCH'),
  ...codes('untrusted', 'CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID', 'CERT_REVOKED', 'CERT_UNTRUSTED'),
  ...codes('untrusted', 'SELF_SIGNED_CERT_IN_CHAIN', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'CERT_SIGNATURE_FAILURE'),
  ...codes('untrusted', 'UNABLE_TO_GET_ISSUER_CERT', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'),
  ...codes('untrusted', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'ERR_TLS_CERT_ALTNAME_INVALID'),
  // query_canceled, lock_not_available, idle_in_transaction_session_timeout, transaction_timeout, deadlock_detected,
  // serialization_failure
  ...codes('busy', '57014', '55P03', '25P03', '25P04', '40P01', '40001'),
  // statement_completion_unknown
  ...codes('unreachable', '40003'),
  ...codes('read-only', '25006'),
  ...codes('disk-full', '53100', 'ENOSPC', 'EDQUOT'),
  ...codes('memory', '53200'),
  ...codes('crowded', '53300'),
])

// connection_exception, insufficient_resources, operator_intervention, system_error
const OUTAGE_CLASSES: ReadonlyMap<string, Outage> = new Map([
  ['08', 'unreachable'],
  ['53', 'limit'],
  ['57', 'busy'],
  ['58', 'storage'],
])

function codes(outage: Outage, ...all: readonly string[]): [string, Outage][] {
  return all.map((code) => [code, outage])
}
