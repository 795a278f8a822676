import { SIZE } from '../../../src/core/attention/attention.ts'
import * as secrets from '../../../src/core/secrets/expiring-queries.ts'
import * as tokens from '../../../src/core/tokens/expiring-queries.ts'
import type { Statements, Things } from './statements.ts'

const { shown, most } = SIZE
const DAY_MILLISECONDS = 24 * 60 * 60 * 1000
const timeAround = ({ now }: Things) => ({
  from: new Date(now.getTime() - 7 * DAY_MILLISECONDS),
  now,
  until: new Date(now.getTime() + 14 * DAY_MILLISECONDS),
})

/** The statements about what needs attention that no list sends. */
export const attentionStatements: Statements = {
  'tokens: expiring, own': (db, it) => tokens.expiring(db, it.developer, false, timeAround(it), shown, most),
  'tokens: expiring, also of service accounts': (db, it) =>
    tokens.expiring(db, it.owner, true, timeAround(it), shown, most),
  'secrets: expiring, of the Owner': (db, it) => secrets.expiring(db, it.owner, timeAround(it), shown, most),
  'secrets: expiring': (db, it) => secrets.expiring(db, it.developer, timeAround(it), shown, most),
}
