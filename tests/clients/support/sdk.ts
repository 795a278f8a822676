import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { clientEnvironment, emptyFolder, type Login, variable } from './clients.ts'

/** A call's result, or what the client says of its failure. */
export type Answer = { result?: unknown; error?: string }

/** A program that holds one SDK, and makes one call for each line that it is sent. */
export type Sdk = {
  /** Fails with what the SDK says where the call does. */
  call(name: string, options?: object): Promise<unknown>
  /** What the SDK says where the call fails; fails where it doesn't. */
  failure(name: string, options?: object): Promise<string>
  end(): Promise<void>
}

const script = (name: string) => new URL(name, import.meta.url).pathname

/** The package `phase-dev` of PyPI. */
export const pythonSdk = (login: Login): Promise<Sdk> =>
  startSdk([variable('KEYWARD_TEST_PHASE_PYTHON'), script('python-sdk.py')], login)

/** The package `@phase.dev/phase-node` of npm. */
export const nodeSdk = (login: Login): Promise<Sdk> =>
  startSdk(['node', script('node-sdk.mjs'), variable('KEYWARD_TEST_PHASE_NODE')], login)

async function startSdk([program = '', ...args]: string[], login: Login): Promise<Sdk> {
  const child = spawn(program, [...args, login.host, login.token], {
    env: clientEnvironment(await emptyFolder(), {}),
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    said += part
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const ask = async (name: string, options: object): Promise<Answer> => {
    child.stdin.write(`${JSON.stringify({ name, options })}\n`)
    const { value, done } = await lines.next()
    if (done) throw new Error(`The SDK ended: ${said}`)
    return JSON.parse(value)
  }
  return {
    call: async (name, options = {}) => {
      const { result, error } = await ask(name, options)
      if (error !== undefined) throw new Error(error)
      return result
    },
    failure: async (name, options = {}) => {
      const { result, error } = await ask(name, options)
      if (error === undefined) throw new Error(`${name} did not fail, but answered ${JSON.stringify(result)}`)
      return error
    },
    end: async () => {
      child.stdin.end()
      await ended
    },
  }
}
