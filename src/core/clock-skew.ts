/** How far the clocks of replicas may be apart; Kerberos allows as much (RFC 4120). */
const CLOCK_SKEW_SECONDS = 300

/**
 * The latest time that counts as now. What was made later than that was made by a clock that was wrong: its expiry is
 * as wrong, so sessions, bearers and mailed links of such a time are refused.
 */
export const latestNow = (now: Date): Date => new Date(now.getTime() + CLOCK_SKEW_SECONDS * 1000)
