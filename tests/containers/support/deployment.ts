import {
  GenericContainer,
  Network,
  type StartedNetwork,
  type StartedTestContainer,
  Wait,
} from 'testcontainers'
import { canPull, images, prepareImages } from '../../support/images/build.ts'
import { KeywardContainer, type StartedKeywardContainer } from '../../support/keyward-container.ts'

/** A real Postgres and a real Redis on a network of their own, and what runs on them. */
export type Deployment = {
  postgres: StartedTestContainer
  redis: StartedTestContainer
  /** The network's name, and the configuration of whoever joins it. */
  network: string
  environment: Readonly<Record<string, string>>
  /** A role of Keyward that is configured for them, not started. */
  keyward(role: string, ...options: string[]): KeywardContainer
  /** Starts one, until `remove` at the latest. */
  start(container: KeywardContainer): Promise<StartedKeywardContainer>
  /** Runs `migrate` to its end. */
  migrate(): Promise<void>
  remove(): Promise<void>
}

const PASSWORD = 'secret:of/the@tests'

/** Makes the images, at most ten minutes on a machine that has none, and readies Testcontainers for this machine. */
export async function prepare(): Promise<void> {
  await prepareImages('keyward', 'postgres', 'redis')
  // Some versions of Docker publish a port of IPv6 under a number of its own, where another container may listen.
  if (!process.env.DOCKER_HOST) process.env.TESTCONTAINERS_HOST_OVERRIDE ??= '127.0.0.1'
  // It removes what a killed run leaves behind; without its image Testcontainers would not start at all.
  if (!(await canPull('testcontainers/ryuk:0.14.0'))) process.env.TESTCONTAINERS_RYUK_DISABLED ??= 'true'
}

/** Starts both stores, empty. */
export async function startDeployment(): Promise<Deployment> {
  await prepare()
  const network = await new Network().start()
  const [postgres, redis] = await Promise.all([startPostgres(network), startRedis(network)])
  const removals: (() => Promise<unknown>)[] = [() => postgres.stop(), () => redis.stop()]
  const keyward = (role: string, ...options: string[]) =>
    new KeywardContainer(images.keyward)
      .withNetwork(network)
      .withCommand([role, ...options])
      .withEnvironment(ENVIRONMENT)
  return {
    postgres,
    redis,
    network: network.getName(),
    environment: ENVIRONMENT,
    keyward,
    start: async (container) => {
      const started = await container.start()
      removals.unshift(() => started.stop({ timeout: 1000 }))
      return started
    },
    migrate: async () => {
      const done = await keyward('migrate').withWaitStrategy(Wait.forOneShotStartup()).start()
      await done.stop()
    },
    remove: async () => {
      for (const removal of removals) await removal().catch(() => {})
      await network.stop()
    },
  }
}

const ENVIRONMENT = {
  DATABASE_URL: `postgres://keyward:${encodeURIComponent(PASSWORD)}@postgres:5432/keyward?sslmode=disable`,
  REDIS_URL: `redis://:${encodeURIComponent(PASSWORD)}@redis:6379/0`,
  HOST: 'localhost',
  SECRET_KEY: '5e'.repeat(32),
  SERVER_SECRET: '5f'.repeat(32),
  // High enough to be never met; with a limit, every request asks Redis.
  RATE_LIMIT_DEFAULT: '1000000/min',
  RATE_LIMIT_AUTH: 'off',
}

function startPostgres(network: StartedNetwork): Promise<StartedTestContainer> {
  return new GenericContainer(images.postgres)
    .withNetwork(network)
    .withNetworkAliases('postgres')
    .withEnvironment({ POSTGRES_USER: 'keyward', POSTGRES_DB: 'keyward', POSTGRES_PASSWORD: PASSWORD })
    .withExposedPorts(5432)
    .withWaitStrategy(Wait.forSuccessfulCommand('pg_isready -q -h 127.0.0.1 -U keyward -d keyward'))
    .start()
}

function startRedis(network: StartedNetwork): Promise<StartedTestContainer> {
  return new GenericContainer(images.redis)
    .withNetwork(network)
    .withNetworkAliases('redis')
    .withCommand(['redis-server', '--requirepass', PASSWORD, '--save', ''])
    .withExposedPorts(6379)
    .withWaitStrategy(Wait.forSuccessfulCommand(`redis-cli -a '${PASSWORD}' ping | grep -q PONG`))
    .start()
}
