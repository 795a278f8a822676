import type { Config } from '../../src/config.ts'
import type { Clock } from '../../src/platform/clock.ts'
import type { DatabaseConfig } from '../../src/platform/postgres/database.ts'
import type { Ports } from '../../src/platform/runtime.ts'

/** What a server on another runtime is told: the configuration and the database of a test's context. */
export type RemoteSetup = { config: Config; database: DatabaseConfig; schemaVersion: number }

/** The variable that holds it. */
export const SETUP = 'KEYWARD_TEST_SETUP'

/** The headers by which a test says when it is, and where its request comes from. */
export const NOW = 'x-test-now'
export const PEER = 'x-test-peer'

export const encodeSetup = (setup: RemoteSetup): string =>
  JSON.stringify(setup, (_, value) =>
    value instanceof Uint8Array ? { hex: Buffer.from(value).toString('hex') } : value,
  )

export const decodeSetup = (text: string): RemoteSetup =>
  JSON.parse(text, (_, value) =>
    typeof value?.hex === 'string' ? new Uint8Array(Buffer.from(value.hex, 'hex')) : value,
  )

let now = 0

/** The time of the newest request. */
export function followClock(request: Request): void {
  const header = request.headers.get(NOW)
  if (header !== null) now = Number(header)
}

const clock: Clock = { now: () => new Date(now) }

/** The ports of a runtime with the tests' clock, and with cheap passwords. */
export const forTests = <P extends Ports>(ports: P): P => ({
  ...ports,
  clock,
  argon2id: {
    ...ports.argon2id,
    hash: (password: string) => ports.argon2id.hash(password, { memoryCost: 8, timeCost: 1 }),
  },
})
