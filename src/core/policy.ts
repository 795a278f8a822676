import { badRequest, conflict, type DomainError, forbidden } from './errors.ts'

/** What a rule refuses with: a sentence, and the environment that it names, which not everybody may read of. */
export type Reason = Readonly<{ sentence: string; environmentId?: string }>

/**
 * A rule of the product: looks at the facts of a request and gives the reason for which it refuses, or null when it has
 * none. Rules are pure, so that tests, the console and the server ask the same ones.
 */
export type Rule<Facts> = Readonly<{
  status: 400 | 403 | 409
  refuses(facts: Facts): Reason | null
}>

/** The rules of one action in the order in which they are asked: the first that refuses gives the answer. */
export type Policy<Facts> = readonly Rule<Facts>[]

/** A rule that answers 403 with this sentence when the facts are so. */
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
