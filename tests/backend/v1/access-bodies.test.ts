import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { MAX_IDS } from '../../../src/core/grants/grant.ts'
import { openDatabase } from '../../../src/platform/postgres/database.ts'
import { api } from '../../support/api.ts'
import { app, appWith, type TestApp } from '../../support/apps.ts'
import { entriesAbout } from '../../support/audit-entries.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { member, owner, type Person, serviceAccount } from '../../support/people.ts'

let ctx: TestContext
let ada: Person
let service: ReturnType<typeof api>

beforeAll(async () => {
  ctx = await testContext()
  service = api(ctx)
  ada = await owner(ctx)
})
afterAll(() => ctx.close())

/** The path of a principal's access. */
const subjects = {
  members: async () => (await member(ctx, 'developer')).id,
  'service-accounts': async () => (await serviceAccount(ctx, 'service')).id,
}
const kinds = Object.keys(subjects) as (keyof typeof subjects)[]

const put = (kind: string, id: string, body: unknown, at = service) =>
  at.as(ada.token).put(`/v1/${kind}/${id}/access`, body)
const idsOf = ({ environments }: { environments: readonly { id: string }[] }) =>
  environments.map(({ id }) => id)
const accessTo = (...apps: { id: string; environments: readonly { id: string }[] }[]) => ({
  apps: apps.map((one) => ({ id: one.id, environments: idsOf(one) })),
})
const valuesOf = async (id: string) =>
  (await entriesAbout(ctx, id)).map((entry) => [entry.old_values, entry.new_values])

describe.each(kinds)('PUT /v1/%s/:id/access is recorded', (kind) => {
  test('with what was granted and what was revoked, without what stayed', async () => {
    const [first, second] = [await app(ctx), await app(ctx)]
    const id = await subjects[kind]()
    await put(kind, id, accessTo(first))
    ctx.clock.advance(1)
    const [kept, lost] = idsOf(first)
    await put(kind, id, { apps: [{ id: first.id, environments: [kept] }, ...accessTo(second).apps] })
    ctx.clock.advance(1)
    await put(kind, id, { apps: [] })
    const revoked = [kept, ...idsOf(second)].sort()
    expect(await valuesOf(id)).toEqual([
      [
        { revoked: [], total: 0 },
        { granted: idsOf(first), total: 2 },
      ],
      [
        { revoked: [lost], total: 1 },
        { granted: idsOf(second), total: 2 },
      ],
      [
        { revoked, total: 3 },
        { granted: [], total: 0 },
      ],
    ])
  })
})

test('a change of more than 1,000 environments names 1,000 of them and says how many there were', async () => {
  const names = Array.from({ length: 1100 }, (_, index) => `e${index}`)
  const large = await appWith(ctx, 'Large', names)
  const id = await subjects.members()
  expect((await put('members', id, accessTo(large))).status).toBe(200)
  ctx.clock.advance(1)
  expect((await put('members', id, { apps: [] })).status).toBe(200)
  const [granting, revoking] = await entriesAbout(ctx, id)
  expect(granting?.new_values).toEqual({ granted: idsOf(large).slice(0, 1000), total: 1100 })
  expect(revoking?.old_values).toEqual({ revoked: idsOf(large).sort().slice(0, 1000), total: 1100 })
})

test('the audit entries of concurrent changes on two replicas add up to the final access', async () => {
  const pool = openDatabase(ctx.database.config)
  const replica = api({ ...ctx, db: pool })
  try {
    const apps = await Promise.all([app(ctx), app(ctx), app(ctx), app(ctx)])
    const id = await subjects.members()
    await Promise.all(
      apps.flatMap((one, index) => put('members', id, accessTo(one), index % 2 ? replica : service)),
    )
    const rows = await ctx.db<{ environment_id: string }[]>`
      select environment_id from grants where principal_id = ${id}`
    const balance = new Map<string, number>()
    for (const [old, now] of (await valuesOf(id)) as [{ revoked: string[] }, { granted: string[] }][]) {
      for (const one of now.granted) balance.set(one, (balance.get(one) ?? 0) + 1)
      for (const one of old.revoked) balance.set(one, (balance.get(one) ?? 0) - 1)
    }
    const held = [...balance].filter(([, count]) => count !== 0)
    expect(held.sort()).toEqual(rows.map((row): [string, number] => [row.environment_id, 1]).sort())
  } finally {
    await pool.end()
  }
})

describe.each(kinds)('PUT /v1/%s/:id/access takes', (kind) => {
  const environments = (count: number, each = () => randomUUID() as string) =>
    Array.from({ length: count }, each)
  let id: string
  let known: TestApp

  beforeAll(async () => {
    id = await subjects[kind]()
    known = await app(ctx)
  })
  const refusal = async (apps: unknown) => {
    const { status, body } = await put(kind, id, { apps })
    return [status, body.error]
  }

  test(`${MAX_IDS} ids of apps and environments together, and no more`, async () => {
    const [status] = await refusal([{ id: known.id, environments: environments(MAX_IDS - 1) }])
    expect(status).toBe(404)
    expect(await refusal([{ id: known.id, environments: environments(MAX_IDS) }])).toEqual([
      400,
      `apps[0].environments must have at most ${MAX_IDS - 1} items.`,
    ])
    const halves = environments(2).map((one) => ({ id: one, environments: environments(4999) }))
    expect(await refusal([...halves, { id: 'x', environments: ['y'] }])).toEqual([
      400,
      `apps must have at most ${MAX_IDS} ids of apps and environments together, not ${MAX_IDS + 2}.`,
    ])
  })

  test('no longer list, whatever it contains', async () => {
    const full = (field: string, most: number) => [400, `${field} must have at most ${most} items.`]
    const lists = [
      environments(26_000),
      environments(49_000, () => 'y'),
      environments(49_000, () => 1 as never),
    ]
    for (const list of lists) {
      expect(await refusal([{ id: known.id, environments: list }])).toEqual(
        full('apps[0].environments', MAX_IDS - 1),
      )
    }
    const endless = environments(250_000, () => 'y')
    expect(await refusal([{ id: known.id, environments: endless }])).toEqual([
      400,
      'The body must have at most 50000 values.',
    ])
    expect(await refusal(environments(25_000).map((one) => ({ id: one, environments: ['x'] })))).toEqual([
      413,
      'The body must not be larger than 1 MiB.',
    ])
    expect(await refusal(environments(25_000, () => ({}) as never))).toEqual(full('apps', MAX_IDS))
  })

  test('no id twice, in whatever case', async () => {
    const [one = '', two = ''] = idsOf(known)
    const twice = [400, 'apps[0].environments[2] repeats an environment that is listed already.']
    expect(await refusal([{ id: known.id, environments: [one, two, one.toUpperCase()] }])).toEqual(twice)
    expect(
      await refusal([...accessTo(known).apps, { id: known.id.toUpperCase(), environments: [two] }]),
    ).toEqual([400, 'apps[1].id repeats an app that is listed already.'])
  })
})
