/** For other features. Not in invites.ts: it imports roles.ts, which uses this. */
export { cancelSentBy, closeExpired } from './queries.ts'
