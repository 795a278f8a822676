import { badRequest, conflict, type DomainError, forbidden } from './errors.ts'

/**
 * A rule of the product: looks at the facts of a request and gives the sentence with which it refuses, or null when it
 * has nothing against it. Rules are pure, so that tests, the console and the server ask the same ones.
 */
export type Rule<Facts> = Readonly<{
  status: keyof typeof ERRORS
  refusal(facts: Facts): string | null
}>

/** The rules of one action in the order in which they are asked: the first that refuses gives the answer. */
export type Policy<Facts> = readonly Rule<Facts>[]

const ERRORS = { 400: badRequest, 403: forbidden, 409: conflict }

/** A rule that answers 403 with this sentence when the facts are so. */
export const forbid = <Facts>(sentence: string, when: (facts: Facts) => boolean): Rule<Facts> => ({
  status: 403,
  refusal: (facts) => (when(facts) ? sentence : null),
})

/** A rule with another status, or with a sentence that depends on the facts. */
export const refuse = <Facts>(
  status: Rule<Facts>['status'],
  refusal: (facts: Facts) => string | null,
): Rule<Facts> => ({ status, refusal })

/** The first refusal of a policy as the error that the caller gets; null when all its rules allow the action. */
export function refusalBy<Facts>(policy: Policy<Facts>, facts: Facts): DomainError | null {
  for (const rule of policy) {
    const sentence = rule.refusal(facts)
    if (sentence !== null) return ERRORS[rule.status](sentence)
  }
  return null
}

/** Throws the first refusal of a policy; returns when the policy allows the action. */
export function enforce<Facts>(policy: Policy<Facts>, facts: Facts): void {
  const refusal = refusalBy(policy, facts)
  if (refusal !== null) throw refusal
}
