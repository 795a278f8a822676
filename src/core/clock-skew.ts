/** How far the clocks of replicas may be apart; Kerberos allows as much (RFC 4120). */
const CLOCK_SKEW_SECONDS = 300

/**
 * The latest time that counts as now. Sessions, session tokens and mailed links with a later creation time are refused:
 * the clock was wrong then, and so is their expiry.
 */
export const latestNow = (now: Date): Date => new Date(now.getTime() + CLOCK_SKEW_SECONDS * 1000)
