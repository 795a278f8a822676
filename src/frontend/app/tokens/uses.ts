import type { TokenFormat } from './token.ts'

/** Phase's documentation of its command line, and what it says to run to install it. */
export const PHASE_CLI = {
  docs: 'https://docs.phase.dev/cli/install',
  linux: 'curl -fsSL https://pkg.phase.dev/install.sh | bash',
  mac: 'brew install phasehq/cli/phase',
} as const

/** A text as one word of a shell, whatever people called their app. */
export const shellWord = (text: string): string =>
  /^[A-Za-z0-9_./:@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`

/** How a program uses a token; `client` where it runs Phase's command line, which must be installed first. */
export type Use = Readonly<{ value: string; label: string; lines: string; client?: 'phase' }>

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
    client: 'phase',
    lines: [
      `export PHASE_HOST=${shellWord(host)}`,
      'read -rs PHASE_SERVICE_TOKEN && export PHASE_SERVICE_TOKEN  # paste the token',
      runLine(app, environment),
    ].join('\n'),
  },
  { value: 'actions', label: 'GitHub Actions', lines: actionsSteps(host, app, environment) },
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

const runLine = (app: string, environment: string): string =>
  `phase run --app ${shellWord(app)} --env ${shellWord(environment)} ./server`

/** Whole steps of a job. GitHub replaces its expressions before a shell reads the line: a name must hold none. */
const actionsSteps = (host: string, app: string, environment: string): string =>
  [
    'steps:',
    '  - uses: actions/checkout@v4',
    `  - run: ${PHASE_CLI.linux}`,
    '  - run: |',
    `      ${runLine(app, environment).replaceAll('${{', () => "$''{{")}`,
    '    env:',
    `      PHASE_HOST: ${host}`,
    `      PHASE_SERVICE_TOKEN: $${'{{'} secrets.KEYWARD_TOKEN }}  # a secret of the repository that holds the token`,
  ].join('\n')

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
