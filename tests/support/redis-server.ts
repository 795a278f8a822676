import { freePort } from './free-port.ts'

/** A throw-away Redis on a loopback port. It keeps nothing on disk, so a restart also empties it. */
export type RedisServer = {
  url: string
  port: number
  password: string
  /** Ends it as a crash would. */
  kill(): Promise<void>
  /** Starts it again on the same port. */
  start(): Promise<void>
  /** Stops it from answering while its connections stay open. */
  pause(): void
  resume(): void
  /** Sends one command as another client would. */
  command(name: string, ...args: string[]): Promise<unknown>
}

/** Ends the server when standard input closes: so it ends with its owner, however that one ends. */
const keeper = 'redis-server "$@" >/dev/null 2>&1 & echo $!; cat >/dev/null; kill -9 $!; wait'

/** Starts Debian's redis-server; `certificate` holds paths of PEM files and makes it speak TLS only. */
export async function startRedis(certificate?: { cert: string; key: string }): Promise<RedisServer> {
  const port = freePort()
  // Characters that must be escaped in an address, so that every test shows that they are.
  const password = `p@ss/${crypto.randomUUID()}`
  const scheme = certificate ? 'rediss' : 'redis'
  const url = `${scheme}://:${encodeURIComponent(password)}@localhost:${port}`
  const tls = certificate && { rejectUnauthorized: false }
  let child: Awaited<ReturnType<typeof spawn>> | null = null

  async function kill() {
    const ending = child
    child = null
    await ending?.end()
  }
  async function command(name: string, ...args: string[]) {
    const client = new Bun.RedisClient(url, { autoReconnect: false, ...(tls ? { tls } : {}) })
    try {
      return await client.send(name, args)
    } finally {
      client.close()
    }
  }
  async function start() {
    child = await spawn(serverOptions(port, password, certificate))
    await answering(() => command('PING'))
  }

  await start()
  const pause = () => child?.signal('SIGSTOP')
  const resume = () => child?.signal('SIGCONT')
  return { url, port, password, kill, start, pause, resume, command }
}

function serverOptions(port: number, password: string, certificate?: { cert: string; key: string }) {
  const options = ['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--requirepass', password]
  if (!certificate) return [...options, '--port', `${port}`]
  const files = ['--tls-cert-file', certificate.cert, '--tls-key-file', certificate.key]
  return [...options, '--port', '0', '--tls-port', `${port}`, ...files, '--tls-auth-clients', 'no']
}

async function spawn(options: string[]) {
  const shell = Bun.spawn(['sh', '-c', keeper, 'sh', ...options], { stdin: 'pipe', stdout: 'pipe' })
  const { value } = await shell.stdout.getReader().read()
  const pid = Number(new TextDecoder().decode(value))
  // A signal to process 0 would reach this one and all beside it.
  if (!(pid > 0)) throw new Error('redis-server could not be started.')
  return {
    signal: (name: NodeJS.Signals) => void process.kill(pid, name),
    end: async () => {
      await shell.stdin.end()
      await shell.exited
    },
  }
}

async function answering(ping: () => Promise<unknown>) {
  const deadline = performance.now() + 10_000
  for (;;) {
    const answered = await ping().then(
      () => true,
      () => false,
    )
    if (answered) return
    if (performance.now() > deadline) throw new Error('redis-server did not answer within 10 s.')
    await Bun.sleep(20)
  }
}
