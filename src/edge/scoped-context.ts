import { AsyncLocalStorage } from 'node:async_hooks'
import { type Connected, type Context, connect, type Lasting } from '../context.ts'
import { QUEUED_JOBS, type QueuedJob } from '../core/jobs.ts'
import type { Database } from '../platform/postgres/database.ts'
import { createQueue, type Queue } from '../platform/queue/queue.ts'
import type { Ports } from '../platform/runtime.ts'

/** What each request has for itself: no connection, timer or promise of one request may be used by another. */
const PARTS: Readonly<Record<keyof Connected | 'queue', true>> = {
  db: true,
  limitChanges: true,
  limitLargeReads: true,
  lookUps: true,
  limitPublic: true,
  limitDevices: true,
  limitReads: true,
  limitScans: true,
  limitRekeys: true,
  limitSideWrites: true,
  repeats: true,
  kv: true,
  mailer: true,
  passwords: true,
  sso: true,
  waitToBlock: true,
  waitToSend: true,
  afterwards: true,
  queue: true,
}

/** Hears of work that goes on after the answer. */
export type WaitUntil = (work: Promise<unknown>) => void

/**
 * A context for runtimes on which nothing may outlive its request: each request has its own pool of connections, and all
 * that hangs on it, from the first use of it. Outside of `within`, reading such a part throws. Nothing is remembered from
 * one request to the next.
 */
export function createScopedContext(lasting: Lasting, ports: Ports, open: () => Database) {
  const scopes = new AsyncLocalStorage<Scope>()
  const own = () => {
    const scope = scopes.getStore()
    if (scope === undefined) throw new Error('There are no connections outside of a request.')
    return scope.parts()
  }
  const getters = Object.keys(PARTS).map((name) => [
    name,
    { enumerable: true, get: () => own()[name as keyof typeof PARTS] },
  ])
  const ctx = Object.defineProperties(
    { ...lasting, memory: null },
    Object.fromEntries(getters) as PropertyDescriptorMap,
  ) as Context
  return {
    ctx,
    /** Does the work of one request. `waitUntil` hears of what goes on after it: writes, and the end of connections. */
    within: async <T>(waitUntil: WaitUntil, work: () => Promise<T>): Promise<T> => {
      const scope = createScope(lasting, ports, open)
      try {
        return await scopes.run(scope, work)
      } finally {
        waitUntil(scopes.run(scope, scope.end))
      }
    },
  }
}

type Parts = Connected & { queue: Queue<QueuedJob> }
type Scope = Readonly<{ parts(): Parts; end(): Promise<void> }>

function createScope(lasting: Lasting, ports: Ports, open: () => Database): Scope {
  let made: ReturnType<typeof makeParts> | null = null
  return {
    parts: () => {
      made ??= makeParts(lasting, ports, open())
      return made.parts
    },
    end: async () => await made?.end(),
  }
}

function makeParts(lasting: Lasting, ports: Ports, db: Database) {
  const connected = connect(lasting, ports, db)
  const queue = startedByUse(db, lasting)
  return {
    parts: { ...connected, queue } satisfies Parts,
    end: async () => {
      await connected.settle()
      await queue.stop()
      await connected.close()
    },
  }
}

/** Few requests send a job, and starting a queue takes some statements. */
function startedByUse(db: Database, { log }: Lasting): Queue<QueuedJob> {
  const queue = createQueue({ db, log }, QUEUED_JOBS)
  let started: Promise<void> | null = null
  const start = () => {
    started ??= queue.start()
    return started
  }
  return {
    start,
    send: async (tx, name, payload, options) => {
      await start()
      await queue.send(tx, name, payload, options)
    },
    // Nobody listens: the platform's timer has the next look.
    wake: async () => {},
    stop: async () => {
      if (started !== null) await queue.stop()
    },
  }
}
