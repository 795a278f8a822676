/** The two forms of a token: Phase's clients take the first. */
export type TokenFormat = 'phase' | 'keyward'

/** A token in a list. Its text is shown once, when it is made. */
export type Token = Readonly<{
  id: string
  name: string
  format: TokenFormat
  createdAt: string
  createdBy: Readonly<{ name: string }> | null
  expiresAt: string | null
  lastUsedAt: string | null
}>

/** A token that was just made: its text is in no query, and goes with the component that shows it. */
export type IssuedToken = Token & Readonly<{ token: string }>

/** What the API takes for a new token. */
export type NewToken = { name: string; format: TokenFormat; expires_at?: string }

export const FORMATS: readonly Readonly<{
  value: TokenFormat
  label: string
  short: string
  meaning: string
}>[] = [
  {
    value: 'phase',
    label: 'For the CLI, SDKs, Terraform and the operator',
    short: 'CLI and SDKs',
    meaning: 'Opens secrets on the machine that uses it, also where the server may not read them.',
  },
  {
    value: 'keyward',
    label: 'For HTTP',
    short: 'HTTP',
    meaning: 'One bearer token, for curl and your own code.',
  },
]
