/** The two forms of a token: Phase's clients take the first. */
export type TokenFormat = 'phase' | 'keyward'

const DAY_MS = 86_400_000
/** Tokens that end sooner are marked. */
const SOON_DAYS = 14

type Ending = Readonly<{ expiresAt: string | null }>

/** Whether a token has ended. */
export const isExpired = ({ expiresAt }: Ending, now = Date.now()): boolean =>
  expiresAt !== null && Date.parse(expiresAt) <= now

/** Whether a token ends within two weeks. */
export const endsSoon = (token: Ending, now = Date.now()): boolean =>
  token.expiresAt !== null && !isExpired(token, now) && Date.parse(token.expiresAt) - now < SOON_DAYS * DAY_MS

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

export type Ends = '30' | '90' | '365' | 'day' | 'never'

export const ENDS: readonly Readonly<{ value: Ends; label: string }>[] = [
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
  { value: 'day', label: 'On a day…' },
  { value: 'never', label: 'Never' },
]

/** When a token ends: null for never, undefined where the day is still to be chosen. A day is meant to its end. */
export function endOf(ends: Ends, day: string, now = Date.now()): Date | null | undefined {
  if (ends === 'never') return null
  if (ends !== 'day') return new Date(now + Number(ends) * DAY_MS)
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number)
  return day === '' ? undefined : new Date(year, month - 1, date, 23, 59, 59)
}

/** A text as one word of a shell, whatever people called their app. */
export const shellWord = (text: string): string =>
  /^[A-Za-z0-9_./:@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`

export type Use = Readonly<{ value: string; label: string; lines: string }>

/** The lines with which programs use a token of this format. They hold no token: it would stay in a shell's history. */
export const usesOf = (
  format: TokenFormat,
  host: string,
  place: { app: string; appId: string; environment: string },
): readonly Use[] => (format === 'phase' ? phaseUses(host, place) : keywardUses(host, place))

const phaseUses = (host: string, { app, environment }: { app: string; environment: string }): Use[] => [
  {
    value: 'shell',
    label: 'Shell',
    lines: [
      `export PHASE_HOST=${shellWord(host)}`,
      'read -rs PHASE_SERVICE_TOKEN && export PHASE_SERVICE_TOKEN  # paste the token',
      `phase run --app ${shellWord(app)} --env ${shellWord(environment)} ./server`,
    ].join('\n'),
  },
  {
    value: 'actions',
    label: 'GitHub Actions',
    lines: ['env:', `  PHASE_HOST: ${host}`, `  PHASE_SERVICE_TOKEN: $${'{{'} secrets.KEYWARD_TOKEN }}`].join(
      '\n',
    ),
  },
  {
    value: 'kubernetes',
    label: 'Kubernetes',
    lines: [
      'spec:',
      `  phaseHost: ${JSON.stringify(host)}`,
      `  phaseApp: ${JSON.stringify(app)}`,
      `  phaseAppEnv: ${JSON.stringify(environment)}`,
      '  authentication:',
      '    serviceToken:',
      '      serviceTokenSecretReference:',
      '        secretName: "keyward-token"  # its key "token" holds the token',
    ].join('\n'),
  },
  terraform(host),
]

const keywardUses = (host: string, { appId, environment }: { appId: string; environment: string }): Use[] => [
  {
    value: 'curl',
    label: 'curl',
    lines: [
      'read -rs KEYWARD_TOKEN  # paste the token',
      `curl ${shellWord(`${host}/v1/secrets/?app_id=${appId}&env=${encodeURIComponent(environment)}`)} \\`,
      '  -H "Authorization: Bearer $KEYWARD_TOKEN"',
    ].join('\n'),
  },
  terraform(host),
]

/** Phase's provider takes tokens of both formats. */
const terraform = (host: string): Use => ({
  value: 'terraform',
  label: 'Terraform',
  lines: [
    `export PHASE_HOST=${shellWord(host)}`,
    'read -rs PHASE_TOKEN && export PHASE_TOKEN  # paste the token',
    'terraform plan',
  ].join('\n'),
})
