import { Elysia } from 'elysia'
import type { RefusalType } from '../../core/audit/refusals.ts'
import type { Resource } from '../../core/audit/resources.ts'

/**
 * What a refusal of a route is called in the audit log, declared where the route is declared. The entry's target is
 * what the last id in the path names: the resource that the name begins with, unless another one is stated.
 */
export type DeclaredRefusal = Readonly<{ eventType: RefusalType; target: Resource }>

/** The key of the declaration in a route's `detail`. */
export const REFUSAL = 'x-audit-refusal'

/** The `audit` option of a route. */
export const audited = new Elysia({ name: 'audited', normalize: false }).macro({
  audit: (declared: RefusalType | readonly [RefusalType, { target: Resource }]) => {
    const [eventType, { target }] = typeof declared === 'string' ? [declared, resourceOf(declared)] : declared
    return { detail: { [REFUSAL]: { eventType, target } satisfies DeclaredRefusal } as object }
  },
})

const resourceOf = (eventType: RefusalType) => ({ target: eventType.split('.')[0] as Resource })
