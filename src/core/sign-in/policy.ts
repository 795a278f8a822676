import { forbid, type Policy } from '../policy.ts'

/** Removing a way to sign in; `left` is how many remain. */
export const removeWayIn: Policy<{ left: number }> = [
  forbid(
    'This is your last way to sign in. Add another one first, such as a password or a passkey.',
    ({ left }) => left === 0,
  ),
]
