import type { Config } from '../../config.ts'
import { emailKey } from './account.ts'

/** Whether ALLOWED_EMAIL_DOMAINS lets an e-mail address have an account; an entry with a dot before it is for subdomains. */
export function isAllowedAddress(
  { allowedEmailDomains }: Pick<Config, 'allowedEmailDomains'>,
  email: string,
): boolean {
  const domain = emailKey(email).split('@').at(-1) ?? ''
  return (
    allowedEmailDomains.length === 0 ||
    allowedEmailDomains.some((allowed) =>
      allowed.startsWith('.') ? domain.endsWith(allowed) : domain === allowed,
    )
  )
}
