import { createApp } from '../../src/backend/app.ts'
import { openReadMemory } from '../../src/context.ts'
import { createLog } from '../../src/platform/log.ts'
import { type Database, openDatabase } from '../../src/platform/postgres/database.ts'
import { createChangeLimiter, createReadLimiter } from '../../src/platform/postgres/limiters.ts'
import { createLookUps } from '../../src/platform/postgres/look-ups.ts'
import { app } from './apps.ts'
import type { TestContext } from './context.ts'
import type { Keyward } from './keyward.ts'
import { member, owner, type Person, token } from './people.ts'

/** What the readers of a strictness proof saw. */
export type StrictnessReport = { rounds: number; reads: number; unavailable: number; stale: string[] }

type Answer = Readonly<{ status: number; body: unknown }>
type Send = (method: string, path: string, bearer: string, body?: object) => Promise<Answer>
/** Something that answers requests as one backend. */
export type Backend = Readonly<{ send: Send; close(): Promise<unknown> }>

const READERS = 32

/** A backend on the database of a context, with connections and a memory of its own; `memory` false for one without. */
export function backendOn(ctx: TestContext, withMemory = true): Backend {
  const db = openDatabase(ctx.database.config)
  const memory = withMemory ? openReadMemory(ctx.config, ctx.database.config, ctx.metrics) : null
  const service = createApp({
    ...ctx,
    db,
    memory,
    limitChanges: createChangeLimiter(db),
    limitReads: createReadLimiter(db),
    lookUps: createLookUps(db),
    log: createLog('silent'),
  })
  return {
    send: async (method, path, bearer, body) => {
      const response = await service.handle(
        new Request(`http://localhost${path}`, {
          method,
          headers: {
            authorization: `Bearer ${bearer}`,
            ...(body !== undefined && { 'content-type': 'application/json' }),
          },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        }),
      )
      const text = await response.text()
      return { status: response.status, body: text === '' ? null : JSON.parse(text) }
    },
    close: async () => {
      await memory?.end()
      await db.end({ timeout: 1 })
    },
  }
}

/**
 * A backend that runs as a process. Its reads count as unavailable after two seconds without an answer; changes wait for
 * as long as it takes, since one that is made after nobody waits for it would look like an older state.
 */
export function backendAt(keyward: Keyward): Backend {
  const send: Send = async (method, path, bearer, body) => {
    const isRead = method === 'GET'
    const response = fetch(`${keyward.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${bearer}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(isRead && { signal: AbortSignal.timeout(2000) }),
    })
    const answer = response.then(async (all) => ({ status: all.status, text: await all.text() }))
    const { status, text } = await (isRead ? answer.catch(() => ({ status: 503, text: '' })) : answer)
    return { status, body: text === '' ? null : JSON.parse(text) }
  }
  return { send, close: () => keyward.stop() }
}

/** What readers check: each fact has a number that only grows, and says of an answer which number it shows. */
type Fact = {
  known: number
  path: string
  bearer: () => string
  shown(answer: Answer): number
}

/**
 * One writer and 32 readers on all backends in turn, for so many rounds: once a change was answered, no request that is
 * sent later, to any backend, may be answered with the state of before. `disturb` is called now and then.
 */
export async function proveStrictness(
  ctx: TestContext,
  backends: readonly Backend[],
  rounds: number,
  disturb: (round: number) => Promise<void> = async () => {},
): Promise<StrictnessReport> {
  const report: StrictnessReport = { rounds: 0, reads: 0, unavailable: 0, stale: [] }
  const ada = await owner(ctx)
  const scene = await createScene(ctx, ada)
  let turn = 0
  const next = () => backends[turn++ % backends.length] as Backend
  let isOver = false
  const read = async (n: number) => {
    while (!isOver) {
      const fact = scene.facts[(n + report.reads) % scene.facts.length] as Fact
      const before = fact.known
      const bearer = fact.bearer()
      const answer = await next().send('GET', fact.path, bearer)
      report.reads++
      // What is read is always there: 404 is another release's answer, which lacks the route.
      if (answer.status === 503 || answer.status === 404) report.unavailable++
      else if (fact.shown(answer) < before) {
        report.stale.push(
          `${fact.path} showed ${fact.shown(answer)}, with ${answer.status} ${JSON.stringify(answer.body).slice(0, 200)}, after ${before} was answered`,
        )
      }
      await Bun.sleep(2)
    }
  }
  const readers = Array.from({ length: READERS }, (_, n) => read(n))
  try {
    for (; report.rounds < rounds; report.rounds++) {
      await disturb(report.rounds)
      await scene.change(report.rounds, (...request) => next().send(...request))
    }
  } finally {
    isOver = true
    await Promise.all(readers)
  }
  await checkRevocations(ctx, ada, next, report, Math.max(10, rounds / 20))
  return report
}

/** What is changed and read: a role's colour, a member's role and access, an app's name. */
async function createScene(ctx: TestContext, ada: Person) {
  const grace = await member(ctx, 'developer')
  const { id: appId, environments } = await app(ctx, undefined, ['Development', 'Staging'])
  const setUp = backendOn(ctx, false)
  const permissions = { permissions: { Members: ['read'] }, app_permissions: {} }
  const roles: string[] = []
  for (const name of ['One', 'Two']) {
    const { body } = await setUp.send('POST', '/v1/roles', ada.token, { name, permissions })
    roles.push((body as { id: string }).id)
  }
  await setUp.close()
  const numberIn = (text: unknown) => Number(/\d+$/.exec(String(text))?.[0] ?? -1)
  const fact = (path: string, shown: (body: never) => unknown): Fact => ({
    known: -1,
    path,
    bearer: () => ada.token,
    shown: ({ status, body }) => (status === 200 ? numberIn(shown(body as never)) : -1),
  })
  const description = fact(`/v1/roles/${roles[0]}`, (role: { description: string }) => role.description)
  const inList = fact(
    '/v1/roles',
    ({ data }: { data: { id: string; description: string }[] }) =>
      data.find(({ id }) => id === roles[0])?.description,
  )
  const appName = fact(`/v1/apps/${appId}`, ({ name }: { name: string }) => name)
  const inKeys = fact(
    '/service/secrets/tokens',
    ({ apps }: ListOfKeys) => apps.find(({ id }) => id === appId)?.name,
  )
  // Of two values in turn an older one can't be told from a newer: checked by itself, while nothing else changes them.
  const alternating = async (round: number, send: Send) => {
    const access = { apps: [{ id: appId, environments: [environments[round % 2]?.id] }] }
    if (await isDone(send('PUT', `/v1/members/${grace.id}/access`, ada.token, access))) {
      const { status, body } = await send('GET', `/v1/members/${grace.id}/access`, ada.token)
      const seen = (body as { apps?: { environments: { id: string }[] }[] } | null)?.apps?.[0]
        ?.environments[0]?.id
      if (status === 200 && seen !== environments[round % 2]?.id) return `access of round ${round}`
      const keys = await send('GET', '/service/secrets/tokens', grace.token)
      const [copy] = (keys.body as Partial<ListOfKeys> | null)?.apps?.[0]?.environment_keys ?? []
      if (keys.status === 200 && copy?.id !== environments[round % 2]?.id) return `keys of round ${round}`
    }
    if (await isDone(send('PUT', `/v1/members/${grace.id}`, ada.token, { role_id: roles[round % 2] }))) {
      const { status, body } = await send('GET', `/v1/members/${grace.id}`, ada.token)
      if (status === 200 && (body as { role: { id: string } }).role.id !== roles[round % 2])
        return `role of round ${round}`
    }
    return null
  }
  return {
    facts: [description, inList, appName, inKeys],
    change: async (round: number, send: Send) => {
      ctx.clock.advance(1)
      const told = (facts: Fact[]) => {
        for (const one of facts) one.known = round
      }
      const change = [
        async () => {
          const body = { description: `round ${round}` }
          if (await isDone(send('PUT', `/v1/roles/${roles[0]}`, ada.token, body))) told([description, inList])
        },
        async () => {
          if (await isDone(send('PUT', `/v1/apps/${appId}`, ada.token, { name: `App ${round}` })))
            told([appName, inKeys])
        },
        async () => {
          const stale = await alternating(round, send)
          if (stale !== null) throw new Error(`stale: ${stale}`)
        },
      ][round % 3]
      await change?.()
    },
  }
}

type ListOfKeys = { apps: { id: string; name: string; environment_keys: { id: string }[] }[] }

const isDone = async (answer: Promise<Answer>): Promise<boolean> => {
  const { status } = await answer
  if (status !== 200 && status !== 204 && status !== 503)
    throw new Error(`a change was answered with ${status}`)
  return status !== 503
}

/** Revoked tokens and removed members, each read on every backend before and after. */
async function checkRevocations(
  ctx: TestContext,
  ada: Person,
  next: () => Backend,
  report: StrictnessReport,
  count: number,
): Promise<void> {
  for (let n = 0; n < count; n++) {
    const grace = await member(ctx, 'admin')
    const second = await token(ctx, grace.id, 'pat')
    const [row] = await ctx.db<{ id: string }[]>`
      select id from tokens where principal_id = ${grace.id} order by created_at desc, id limit 1`
    const held = [grace.token, second]
    for (const bearer of held) for (let i = 0; i < 8; i++) await next().send('GET', '/v1/roles', bearer)
    if (n % 2 === 0) await next().send('DELETE', `/v1/members/${grace.id}`, ada.token)
    else await ctx.db`delete from tokens where principal_id = ${grace.id}`
    for (const bearer of held) {
      for (let i = 0; i < 8; i++) {
        const { status } = await next().send('GET', '/v1/roles', bearer)
        report.reads++
        if (status !== 401) report.stale.push(`a revoked token (${row?.id}) was answered with ${status}`)
      }
    }
  }
}

/** Cuts the connections to a database, of all backends. */
export const cutConnections = (db: Database) => db`
  select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()`
