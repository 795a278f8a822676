import { createApp } from '../../src/backend/app.ts'
import { encapsulate, prepareRecipient, wrapForRecipient } from '../../src/core/keys/wrapping.ts'
import { loadFastestAead } from '../../src/core/keys/xchacha20poly1305.ts'
import { app, appWith } from '../support/apps.ts'
import { type TestContext, testContext } from '../support/context.ts'
import { manyMembers, member, owner, type Person, roleOf } from '../support/people.ts'
import { addRates, CONNECTIONS, overHttp, requestText } from './rates.ts'
import { addSection } from './report.ts'
import { median, quantile, ROUNDS, repeat } from './turns.ts'

const THREE = ['Development', 'Staging', 'Production']

/** What it costs to give access: a change of a few environments, and the two changes that wrap thousands of keys. */
export async function grants(): Promise<void> {
  await settingAccess()
  await promotion()
  await newEnvironment()
}

/** `PUT …/access`: each connection's member alternates between two sets of 10 apps × 3 environments. */
async function settingAccess(): Promise<void> {
  const { ctx, ada, ask } = await organisation()
  const sets = [await tenApps(ctx), await tenApps(ctx)]
  const scripts: string[][] = []
  let identityKey = ''
  for (let i = 0; i < Math.max(...CONNECTIONS); i++) {
    const { id } = await member(ctx, 'developer')
    await ask('PUT', `/v1/members/${id}/access`, { apps: sets[1] })
    scripts.push(sets.map((apps) => requestText('PUT', `/v1/members/${id}/access`, ada.token, { apps })))
    const [holder] = await ctx.db`select identity_key from principals where id = ${id}`
    identityKey = holder?.identity_key
  }
  const recipient = prepareRecipient(identityKey)
  const text = '0'.repeat(64)
  const oneAgreement = async () => {
    using encapsulation = encapsulate(recipient)
    for (let i = 0; i < 60; i++) encapsulation.wrap(text)
  }
  const sixtyAgreements = async () => {
    for (let i = 0; i < 60; i++) wrapForRecipient(text, recipient)
  }
  await loadFastestAead()
  await addRates(
    'PUT /v1/members/:id/access, 30 environments new and 30 revoked',
    {
      Keyward: overHttp(createApp(ctx).fetch, scripts),
      'Floor: the 60 wraps alone, with one key agreement': () => repeat(oneAgreement),
      'The 60 wraps alone, with a key agreement for each': () => repeat(sixtyAgreements),
    },
    { 'Keyward ÷ the wraps': ['Keyward', 'Floor: the 60 wraps alone, with one key agreement'] },
  )
  await ctx.close()
}

/** A member becomes an Admin, and a Developer again, where there are 3,000 environments. */
async function promotion(): Promise<void> {
  const { ctx, ask } = await organisation()
  for (let i = 0; i < 1000; i++) await appWith(ctx, `app ${i}`, THREE)
  await ctx.db`vacuum analyze`
  const grace = await member(ctx, 'developer')
  const [admin, developer] = [await roleOf(ctx, 'admin'), await roleOf(ctx, 'developer')]
  await timed(
    'PUT /v1/members/:id, to Admin, with 3,000 environments',
    ask,
    () => ask('PUT', `/v1/members/${grace.id}`, { role_id: admin.id }),
    () => ask('PUT', `/v1/members/${grace.id}`, { role_id: developer.id }),
  )
  await ctx.close()
}

/** A new environment, where 1,000 members have global access. */
async function newEnvironment(): Promise<void> {
  const { ctx, ask } = await organisation()
  await manyMembers(ctx, 1000)
  const admin = await roleOf(ctx, 'admin')
  await ctx.db`update principals set role_id = ${admin.id}, role_kind = 'admin' where role_kind = 'developer'`
  await ctx.db`vacuum analyze`
  const { id } = await app(ctx)
  let made = 0
  await timed('POST /v1/environments, with 1,000 Admins', ask, () =>
    ask('POST', `/v1/environments?app_id=${id}`, { name: `environment-${made++}` }),
  )
  await ctx.close()
}

type Ask = (method: string, path: string, body?: object) => Promise<void>

/** Times a change, which `undo` takes back, and reads by others meanwhile, beside the same reads while nothing happens. */
async function timed(
  title: string,
  ask: Ask,
  change: () => Promise<void>,
  undo: () => Promise<void> = async () => {},
): Promise<void> {
  const took: number[] = []
  const [alone, meanwhile]: [number[], number[]] = [[], []]
  for (let round = 0; round < ROUNDS; round++) {
    await reading(ask, alone, () => Bun.sleep(300))
    const start = performance.now()
    await reading(ask, meanwhile, async () => {
      await change()
      took.push(performance.now() - start)
    })
    await undo()
  }
  addSection({
    title,
    columns: ['Time', 'ms'],
    rows: [
      ['the first time', took[0] ?? 0],
      ['after that', median(took.slice(1))],
      ['p99 of reads meanwhile', quantile(meanwhile, 0.99)],
      ['p99 of reads otherwise', quantile(alone, 0.99)],
    ].map(([name, time]) => [String(name), Number(time).toFixed(0)]),
  })
}

/** Two readers ask one thing after the other, with a breath between, until the work is done. */
async function reading(ask: Ask, times: number[], work: () => Promise<unknown>): Promise<void> {
  let isDone = false
  const read = async () => {
    while (!isDone) {
      const start = performance.now()
      await ask('GET', '/v1/roles')
      times.push(performance.now() - start)
      await Bun.sleep(1)
    }
  }
  const readers = [read(), read()]
  await work()
  isDone = true
  await Promise.all(readers)
}

async function organisation(): Promise<{ ctx: TestContext; ada: Person; ask: Ask }> {
  const ctx = await testContext()
  const ada = await owner(ctx)
  const service = createApp(ctx)
  const headers = { authorization: `Bearer ${ada.token}`, 'content-type': 'application/json' }
  const ask: Ask = async (method, path, body) => {
    const response = await service.handle(
      new Request(`http://localhost${path}`, {
        method,
        headers,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    )
    if (!response.ok) throw new Error(await response.text())
  }
  return { ctx, ada, ask }
}

async function tenApps(ctx: TestContext): Promise<{ id: string; environments: string[] }[]> {
  const apps = []
  for (let i = 0; i < 10; i++) {
    const { id, environments } = await app(ctx, undefined, THREE)
    apps.push({ id, environments: environments.map((environment) => environment.id) })
  }
  return apps
}
