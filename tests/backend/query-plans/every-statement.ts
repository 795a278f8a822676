import { accountStatements } from './account-statements.ts'
import { attentionStatements } from './attention-statements.ts'
import { auditStatements } from './audit-statements.ts'
import { listStatements } from './list-statements.ts'
import { organisationStatements } from './organisation-statements.ts'
import { principalStatements } from './principal-statements.ts'
import { secretStatements } from './secret-statements.ts'
import { signInStatements } from './sign-in-statements.ts'
import type { Statements } from './statements.ts'

/** Every statement of the core. */
export const STATEMENTS: Statements = {
  ...listStatements,
  ...organisationStatements,
  ...principalStatements,
  ...accountStatements,
  ...signInStatements,
  ...attentionStatements,
  ...auditStatements,
  ...secretStatements,
}
