import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { api } from '../../support/api.ts'
import { appWith, grant, type TestEnvironment } from '../../support/apps.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { type Account, member, owner, type Person, roleOf, serviceAccount } from '../../support/people.ts'
import { countStatements } from '../../support/statements.ts'

let ctx: TestContext
let service: ReturnType<typeof api>
let ada: Person
let admin: Person
let developer: Person
let robot: Account
let nobody: Person
let environments: TestEnvironment[]
let roleIds: Map<string, string>

beforeAll(async () => {
  ctx = await testContext()
  service = api(ctx)
  ada = await owner(ctx)
  developer = await member(ctx, 'developer')
  // Promoted later: what was granted before stays beside what the role implies.
  admin = await member(ctx, 'developer')
  robot = await serviceAccount(ctx, 'service')
  const shop = await appWith(ctx, 'Shop', ['one', 'two'])
  const site = await appWith(ctx, 'Site', ['three'])
  environments = [...shop.environments, ...site.environments]
  await grant(ctx, developer.id, [environment(0), environment(2)])
  await grant(ctx, robot.id, [environment(2)])
  await grant(ctx, admin.id, [environment(1)])
  const role = await roleOf(ctx, 'admin')
  await service.as(ada.token).put(`/v1/members/${admin.id}`, { role_id: role.id })
  const permissions = { permissions: {}, app_permissions: {} }
  const { body } = await service.as(ada.token).post('/v1/roles', { name: 'Nothing', permissions })
  nobody = await member(ctx, { id: body.id })
  const roles: { id: string; name: string }[] = (await service.as(ada.token).get('/v1/roles')).body.data
  roleIds = new Map(roles.map(({ id, name }) => [name, id]))
})
afterAll(() => ctx.close())

const environment = (index: number): TestEnvironment => {
  const found = environments[index]
  if (found === undefined) throw new Error('no such environment')
  return found
}
const list = async (query = '', caller = ada.token) =>
  (await service.as(caller).get(`/v1/access/${query}`)).body

type Principal = { type: string; id: string; name: string; role: { id: string; name: string } }
const reach = (principal: Principal, index: number, via: string) => {
  const { id, appId } = environment(index)
  const [environmentName = '', appName = ''] = NAMES[index] ?? []
  return { principal, appId, appName, environmentId: id, environmentName, via }
}
const NAMES = [
  ['one', 'Shop'],
  ['two', 'Shop'],
  ['three', 'Site'],
] as const
const user = (person: Person) => ({
  type: 'user',
  id: person.id,
  name: 'Ada Example',
  role: roleNamed(person === ada ? 'Owner' : person === admin ? 'Admin' : 'Developer'),
})
const account = () => ({ type: 'service_account', id: robot.id, name: 'Robot', role: roleNamed('Service') })
const roleNamed = (name: string) => ({ id: roleIds.get(name) ?? '', name })
const everything = () =>
  [
    ...[0, 1, 2].map((index) => reach(user(ada), index, 'role')),
    ...[0, 1, 2].map((index) => reach(user(admin), index, 'role')),
    reach(user(developer), 0, 'grant'),
    reach(user(developer), 2, 'grant'),
    reach(account(), 2, 'grant'),
  ].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
const keyOf = (item: ReturnType<typeof reach>) => `${item.principal.id} ${item.environmentId}`

describe('GET /v1/access', () => {
  test('lists each principal with each of its environments once: by role, or by grant without global access', async () => {
    expect(await list()).toEqual({ data: everything(), nextCursor: null })
  })

  test('shows all principals to every caller that may read members', async () => {
    expect((await list('', developer.token)).data).toEqual(everything())
  })

  test.each([1, 2, 4, 8, 9])('pages of %i put together are the whole list', async (limit) => {
    const found: unknown[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const page: Awaited<ReturnType<typeof list>> = await list(
        `?limit=${limit}${cursor && `&cursor=${cursor}`}`,
      )
      expect(page.data.length).toBeLessThanOrEqual(limit)
      found.push(...page.data)
      cursor = page.nextCursor
    }
    expect(found).toEqual(everything())
  })

  test('filters by each id, and by several together', async () => {
    const all = everything()
    const { id, appId } = environment(0)
    expect((await list(`?member_id=${developer.id.toUpperCase()}`)).data).toEqual(
      all.filter((item) => item.principal.id === developer.id),
    )
    expect((await list(`?service_account_id=${robot.id}`)).data).toEqual([reach(account(), 2, 'grant')])
    expect((await list(`?app_id=${appId}`)).data).toEqual(all.filter((item) => item.appId === appId))
    expect((await list(`?environment_id=${id}`)).data).toEqual(
      all.filter((item) => item.environmentId === id),
    )
    expect((await list(`?app_id=${appId}&member_id=${developer.id}`)).data).toEqual([
      reach(user(developer), 0, 'grant'),
    ])
    for (const name of ['Owner', 'Admin', 'Developer', 'Service', 'Nothing']) {
      const ofRole = all.filter(({ principal }) => principal.role.name === name)
      expect((await list(`?role_id=${roleIds.get(name)}`)).data, name).toEqual(ofRole)
    }
    const inShop = all.filter((item) => item.principal.role.name === 'Developer' && item.appId === appId)
    expect((await list(`?role_id=${roleIds.get('Developer')}&app_id=${appId}`)).data).toEqual(inShop)
  })

  test('gives the same in pages of one, for every filter', async () => {
    const { id, appId } = environment(2)
    const filters = ['', `app_id=${environment(0).appId}`, `environment_id=${environment(1).id}`]
    filters.push(`role_id=${roleIds.get('Developer')}`, `role_id=${roleIds.get('Admin')}`)
    filters.push(`environment_id=${id}&app_id=${appId}`, `member_id=${admin.id}`, `member_id=${developer.id}`)
    for (const filter of filters) {
      const found: unknown[] = []
      let cursor = ''
      do {
        const page = await list(`?limit=1&${filter}${cursor && `&cursor=${cursor}`}`)
        found.push(...page.data)
        cursor = page.nextCursor ?? ''
      } while (cursor !== '')
      expect(found.length).toBeGreaterThan(1)
      expect(found).toEqual((await list(`?${filter}`)).data)
    }
    expect((await list(`?environment_id=${id}&app_id=${environment(0).appId}`)).data).toEqual([])
  })

  test('is empty for unknown ids', async () => {
    const empty = { data: [], nextCursor: null }
    for (const name of ['member_id', 'service_account_id', 'role_id', 'app_id', 'environment_id']) {
      for (const id of [randomUUID(), 'nonsense', '']) {
        expect(await list(`?${name}=${id}`)).toEqual(empty)
      }
    }
    expect(await list(`?member_id=${robot.id}`)).toEqual(empty)
    expect(await list(`?service_account_id=${ada.id}`)).toEqual(empty)
    expect(await list(`?member_id=${ada.id}&service_account_id=${robot.id}`)).toEqual(empty)
  })

  test('is 400 for a bad page', async () => {
    for (const query of ['?limit=0', '?limit=201', '?limit=x', '?cursor=x', '?cursor=']) {
      expect((await service.as(ada.token).get(`/v1/access${query}`)).status).toBe(400)
    }
  })

  test('is 401 without credentials and 403 without the permission', async () => {
    expect((await service.anonymous.get('/v1/access')).status).toBe(401)
    const { status, body } = await service.as(nobody.token).get('/v1/access')
    expect(body).toEqual({ error: "You don't have permission to read members." })
    expect(status).toBe(403)
  })

  test('is one statement beside authentication', async () => {
    await list()
    expect(await countStatements(ctx, () => list('?limit=2'))).toBe(2)
  })
})
