import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import type { App } from '../../../src/core/apps/app.ts'
import { openDatabase } from '../../../src/platform/postgres/database.ts'
import { type Answer, api } from '../../support/api.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { member, owner, type Person, roleOf } from '../../support/people.ts'

const ROUNDS = 8

let ctx: TestContext
let other: TestContext
let ada: Person
/** Two backends on one database, each with connections of its own. */
let here: ReturnType<typeof api>
let there: ReturnType<typeof api>

beforeAll(async () => {
  ctx = await testContext()
  other = { ...ctx, db: openDatabase(ctx.database.config) }
  here = api(ctx)
  there = api(other)
  ada = await owner(ctx)
})
afterAll(async () => {
  await other.db.end({ timeout: 1 })
  await ctx.close()
})

const newName = () => `App ${randomUUID()}`
const newApp = async (): Promise<App> =>
  (await here.as(ada.token).post('/v1/apps', { name: newName(), environments: ['A', 'B'] })).body
const idOf = (app: App, place: number) => app.environments[place]?.id ?? ''

/** Runs a race several times over; every outcome must be among those allowed. */
async function race(allowed: readonly string[], run: () => Promise<Answer[]>): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    const answers = await run()
    expect(allowed).toContain(answers.map(({ status }) => status).join(' '))
  }
}

/** How many key copies and grants are not what roles and grants say they have to be. */
async function discrepancies(): Promise<number> {
  const [row] = await ctx.db<{ count: number }[]>`
    with due as (
      select p.id as principal_id, e.id as environment_id from principals p join environments e using (organisation_id)
      where p.role_kind in ('owner', 'admin')
      union select principal_id, environment_id from grants
    )
    select count(*)::int as count from due
    full join environment_keys k using (principal_id, environment_id)
    where due.principal_id is null or k.environment_id is null or due.environment_id is null or k.principal_id is null`
  return row?.count ?? -1
}

test('the check finds missing and surplus key copies', async () => {
  const app = await newApp()
  const [copy] = await ctx.db`
    delete from environment_keys where environment_id = ${idOf(app, 0)} and principal_id = ${ada.id} returning *`
  expect(await discrepancies()).toBe(1)
  const { id } = await member(ctx, 'developer')
  await ctx.db`insert into environment_keys ${ctx.db({ ...copy, principal_id: id })}`
  expect(await discrepancies()).toBe(2)
  await here.as(ada.token).delete(`/v1/apps/${app.id}`)
  expect(await discrepancies()).toBe(0)
})

describe('concurrent requests', () => {
  test('two apps of one name: one is created', async () => {
    await race(['201 409', '409 201'], () => {
      const name = newName()
      return Promise.all([
        here.as(ada.token).post('/v1/apps', { name }),
        there.as(ada.token).post('/v1/apps', { name: name.toUpperCase() }),
      ])
    })
  })

  test('two environments of one name: one is created; of two names: both, one after the other', async () => {
    const app = await newApp()
    const path = `/v1/environments?app_id=${app.id}`
    await race(['201 409', '409 201'], () => {
      const name = randomUUID()
      return Promise.all([
        here.as(ada.token).post(path, { name }),
        there.as(ada.token).post(path, { name: name.toUpperCase() }),
      ])
    })
    await race(['201 201'], () =>
      Promise.all([
        here.as(ada.token).post(path, { name: randomUUID() }),
        there.as(ada.token).post(path, { name: randomUUID() }),
      ]),
    )
    const { data } = (await here.as(ada.token).get(path)).body
    expect(data.map((row: { index: number }) => row.index)).toEqual(
      Array.from({ length: 2 + 3 * ROUNDS }, (_, index) => index),
    )
  })

  test('an app renamed to the name of one that is created: one gets it', async () => {
    await race(['200 409', '409 201'], async () => {
      const app = await newApp()
      const name = newName()
      return Promise.all([
        here.as(ada.token).put(`/v1/apps/${app.id}`, { name }),
        there.as(ada.token).post('/v1/apps', { name }),
      ])
    })
  })

  test('a new environment and a promotion to Admin: the promoted member has a copy of every key', async () => {
    const app = await newApp()
    const admin = await roleOf(ctx, 'admin')
    await race(['201 200 201'], async () => {
      const grace = await member(ctx, 'developer')
      const name = randomUUID()
      const answers = await Promise.all([
        here.as(ada.token).post(`/v1/environments?app_id=${app.id}`, { name }),
        there.as(ada.token).put(`/v1/members/${grace.id}`, { role_id: admin.id }),
        here.as(ada.token).post('/v1/apps', { name: newName(), environments: ['A'] }),
      ])
      expect(await discrepancies()).toBe(0)
      return answers
    })
  })

  test('an environment deleted while it is granted: nobody keeps a grant or a copy', async () => {
    const grace = await member(ctx, 'developer')
    await race(['204 200', '204 404'], async () => {
      const app = await newApp()
      const id = idOf(app, 0)
      const answers = await Promise.all([
        here.as(ada.token).delete(`/v1/environments/${id}`),
        there
          .as(ada.token)
          .put(`/v1/members/${grace.id}/access`, { apps: [{ id: app.id, environments: [id] }] }),
      ])
      expect(await ctx.db`select 1 from grants where environment_id = ${id}`).toHaveLength(0)
      expect(await discrepancies()).toBe(0)
      return answers
    })
  })

  test('an app deleted while an environment is added and another renamed: nothing of it is left', async () => {
    await race(['204 201 200', '204 404 200', '204 201 404', '204 404 404'], async () => {
      const app = await newApp()
      const answers = await Promise.all([
        here.as(ada.token).delete(`/v1/apps/${app.id}`),
        there.as(ada.token).post(`/v1/environments?app_id=${app.id}`, { name: 'late' }),
        here.as(ada.token).put(`/v1/environments/${idOf(app, 0)}`, { name: 'renamed' }),
      ])
      expect(await ctx.db`select 1 from environments where app_id = ${app.id}`).toHaveLength(0)
      expect(await discrepancies()).toBe(0)
      return answers
    })
  })

  test('an app deleted twice: one request is 204, the other 404', async () => {
    await race(['204 404', '404 204'], async () => {
      const { id } = await newApp()
      return Promise.all([
        here.as(ada.token).delete(`/v1/apps/${id}`),
        there.as(ada.token).delete(`/v1/apps/${id}`),
      ])
    })
  })

  test('an app created by a member who is removed: it is created first or not at all', async () => {
    await race(['201 204', '401 204'], async () => {
      const manager = await member(ctx, 'manager')
      const answers = await Promise.all([
        here.as(manager.token).post('/v1/apps', { name: newName() }),
        there.as(ada.token).delete(`/v1/members/${manager.id}`),
      ])
      expect(await discrepancies()).toBe(0)
      return answers
    })
  })

  test('every kind of change and read at once: no 500', async () => {
    const app = await newApp()
    const work = Array.from({ length: 24 }, (_, n) => {
      const client = (n % 2 === 0 ? here : there).as(ada.token)
      const environment = `/v1/environments/${idOf(app, n % 4 === 0 ? 0 : 1)}`
      switch (n % 6) {
        case 0:
          return client.post('/v1/apps', { name: newName() })
        case 1:
          return client.put(`/v1/apps/${app.id}`, { description: `${n}` })
        case 2:
          return client.post(`/v1/environments?app_id=${app.id}`, { name: `e${n}` })
        case 3:
          return client.put(environment, { name: `r${n}` })
        case 4:
          return n > 12 ? client.delete(environment) : client.get(environment)
        default:
          return client.get('/v1/apps')
      }
    })
    for (const { status } of await Promise.all(work)) expect([200, 201, 204, 404]).toContain(status)
    expect(await discrepancies()).toBe(0)
  })
})
