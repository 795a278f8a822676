import { attempt, type CommandOptions, output } from './command.ts'
import { imageValues } from './images.ts'
import type { Namespace } from './namespace.ts'

export type Values = { [name: string]: unknown }

/** A release of the chart, named keyward, in a namespace. */
export type Release = {
  /** Installs it, and waits until everything is ready. */
  install(values?: Values, ...flags: string[]): Promise<void>
  /** Upgrades it, and waits until everything is ready. */
  upgrade(values?: Values, ...flags: string[]): Promise<void>
  rollback(...flags: string[]): Promise<void>
  uninstall(): Promise<void>
  /** Any helm command on it; for those that print or may fail. */
  helm(...args: string[]): Promise<string>
}

export const chart = new URL('../../../chart', import.meta.url).pathname
export const host = 'keyward.example.org'

export type ReleaseOptions = { helm?: string; name?: string; chart?: string }

export function releaseIn(namespace: Namespace, options: ReleaseOptions = {}): Release {
  const { helm = 'helm', name = 'keyward' } = options
  const run = (args: readonly string[], input?: string) => runHelm(helm, namespace, args, input)
  const deploy = async (verb: string, values: Values, flags: readonly string[]) => {
    const input = JSON.stringify(merge(merge({ host }, imageValues('test')), values))
    await run([verb, name, options.chart ?? chart, ...WAIT, ...flags, '-f', '-'], input)
  }
  return {
    install: (values = {}, ...flags) => deploy('install', values, flags),
    upgrade: (values = {}, ...flags) => deploy('upgrade', values, flags),
    rollback: async (...flags) => {
      await run(['rollback', name, ...WAIT, ...flags])
    },
    uninstall: async () => {
      await run(['uninstall', name, '--wait', '--timeout', '3m'])
    },
    helm: (...args) => run(args),
  }
}

const WAIT = ['--wait', '--wait-for-jobs', '--timeout', '5m']

/** Values laid over others: objects are merged, everything else is replaced. */
export function merge(base: Values, over: Values): Values {
  const result = { ...base }
  for (const [name, value] of Object.entries(over)) {
    const before = result[name]
    result[name] = isObject(before) && isObject(value) ? merge(before, value) : value
  }
  return result
}

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

async function runHelm(helm: string, namespace: Namespace, args: readonly string[], input?: string) {
  const options: CommandOptions = { seconds: 330, ...(input !== undefined && { input }) }
  try {
    return await output([helm, '--namespace', namespace.name, ...args], options)
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${await describePods(namespace)}`)
  }
}

/** What someone would look at after a failed roll-out: pods, the newest events, and the logs of what does not run. */
async function describePods(namespace: Namespace): Promise<string> {
  const ask = async (...args: string[]) => {
    const answer = await attempt(['kubectl', '--namespace', namespace.name, ...args], { seconds: 30 })
    return answer.stdout + answer.stderr
  }
  const events = await ask('get', 'events', '--sort-by=.lastTimestamp')
  const logs = await ask(
    'logs',
    '--selector=app.kubernetes.io/name=keyward',
    '--all-containers',
    '--tail=8',
    '--prefix',
  )
  return [await ask('get', 'pods,jobs', '-o', 'wide'), events.split('\n').slice(-25).join('\n'), logs].join(
    '\n',
  )
}
