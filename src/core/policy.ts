import { badRequest, conflict, type DomainError, forbidden } from './errors.ts'

/** Why a rule refuses: a sentence, and the environment that it names, whose audit entry not every caller may see. */
export type Reason = Readonly<{ sentence: string; environmentId?: string }>

/**
 * A rule of the product: from the facts of a request, the reason why it refuses, or null when it allows it. Rules are
 * pure, so that tests, the console and the server can use the same ones.
 */
export type Rule<Facts> = Readonly<{
  status: 400 | 403 | 409
  refuses(facts: Facts): Reason | null
}>

/** The rules of one action, in order: the first that refuses decides. */
export type Policy<Facts> = readonly Rule<Facts>[]

/** A rule that refuses with 403 and this sentence when the condition is true. */
export const forbid = <Facts>(sentence: string, when: (facts: Facts) => boolean): Rule<Facts> => ({
  status: 403,
  refuses: (facts) => (when(facts) ? { sentence } : null),
})

/** A rule with another status, or with a reason that depends on the facts. */
export const refuse = <Facts>(
  status: Rule<Facts>['status'],
  reason: (facts: Facts) => string | Reason | null,
): Rule<Facts> => ({
  status,
  refuses: (facts) => {
    const found = reason(facts)
    return typeof found === 'string' ? { sentence: found } : found
  },
})

/** The error with which a policy refuses; null when all its rules allow the action. */
export function refusalBy<Facts>(policy: Policy<Facts>, facts: Facts): DomainError | null {
  for (const { status, refuses } of policy) {
    const reason = refuses(facts)
    if (reason !== null) return errorOf(status, reason)
  }
  return null
}

/** Throws the error with which a policy refuses; returns when it allows the action. */
export function enforce<Facts>(policy: Policy<Facts>, facts: Facts): void {
  const refusal = refusalBy(policy, facts)
  if (refusal !== null) throw refusal
}

function errorOf(status: 400 | 403 | 409, { sentence, environmentId }: Reason): DomainError {
  if (status === 400) return badRequest(sentence)
  if (status === 409) return conflict(sentence)
  return forbidden(sentence, environmentId === undefined ? {} : { environmentId })
}
