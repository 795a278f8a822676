import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { api, type Client } from '../../support/api.ts'
import { app } from '../../support/apps.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { member, owner, type Person, roleOf, serviceAccount } from '../../support/people.ts'
import { countStatements } from '../../support/statements.ts'

let ctx: TestContext
let ada: Person & { organisationId: string }
let service: ReturnType<typeof api>
let admin: Client

/** Members by the names that they are given here. */
const people: Record<string, Person> = {}

beforeAll(async () => {
  ctx = await testContext()
  service = api(ctx)
  ada = await owner(ctx)
  admin = service.as(ada.token)
  await named(ada, 'Ada Example', 'ada@example.org')
  const auditor = await customRole('Auditor')
  for (const [name, email, role] of [
    ['Änne Ober', 'x1@example.org', 'developer'],
    ['Twin', 'twin-b@example.org', 'manager'],
    ['100% _sure_', 'x3@example.org', 'developer'],
    ['Twin', 'twin-a@example.org', 'developer'],
    ['', 'nameless@example.org', auditor],
    ['ﬁnal Zoë', 'X6@Example.org', auditor],
  ] as const) {
    ctx.clock.advance(1)
    const person = await member(ctx, role)
    await named(person, name, email)
    people[email.toLowerCase()] = person
  }
})
afterAll(() => ctx.close())

const named = ({ userId }: Person, name: string, email: string) =>
  ctx.db`update users set full_name = ${name}, email = ${email}, email_key = ${email.toLowerCase()} where id = ${userId}`

const customRole = async (name: string, permissions: object = {}): Promise<{ id: string }> =>
  (await admin.post('/v1/roles', { name, permissions: { permissions, app_permissions: {} } })).body

type Item = Record<string, unknown>

/** Every item of a list, read in pages of two; each page must tell the same total, which is how many there are. */
async function inPages(client: Client, path: string): Promise<Item[]> {
  const items: Item[] = []
  const totals = new Set<number>()
  for (let cursor = ''; ; ) {
    const { status, body } = await client.get(`${path}${path.includes('?') ? '&' : '?'}limit=2${cursor}`)
    expect(status, JSON.stringify(body)).toBe(200)
    items.push(...body.data)
    totals.add(body.total)
    if (body.nextCursor === null) break
    cursor = `&cursor=${encodeURIComponent(body.nextCursor)}`
  }
  expect([...totals]).toEqual([items.length])
  return items
}

const emails = async (query: string): Promise<unknown[]> =>
  (await inPages(admin, `/v1/members?${query}`)).map(({ email }) => email)

const ALL = [
  'ada@example.org',
  'x1@example.org',
  'twin-b@example.org',
  'x3@example.org',
  'twin-a@example.org',
  'nameless@example.org',
  'X6@Example.org',
]

describe('q', () => {
  test.each([
    ['ada', ['ada@example.org']],
    ['ADA%20EX', ['ada@example.org']],
    ['%20ada%20', ['ada@example.org']],
    ['ÄNNE', ['x1@example.org']],
    // The same letter as a letter and an accent of its own.
    ['A%CC%88nne', ['x1@example.org']],
    // A ligature stands for its letters, on both sides.
    ['final', ['X6@Example.org']],
    ['%EF%AC%81nal', ['X6@Example.org']],
    ['x6@EXAMPLE', ['X6@Example.org']],
    ['twin', ['twin-b@example.org', 'twin-a@example.org']],
    ['example.org', ALL],
    ['%25', ['x3@example.org']],
    ['_', ['x3@example.org']],
    ['%25%20_', ['x3@example.org']],
    ['%5C', []],
    ["'", []],
    ['nobody', []],
  ])('of members finds %s in names and e-mail addresses', async (q, found) => {
    expect(await emails(`q=${q}`)).toEqual(found)
  })

  test.each([
    ['q=', 'q must not be empty.'],
    ['q=%20%20', 'q must not be blank.'],
    [`q=${'x'.repeat(101)}`, 'q must have at most 100 characters.'],
    [`q=a${'%CC%81'.repeat(31)}`, 'q must have at most 30 combining marks in a row.'],
    ['q=a&q=b', 'q must be given only once.'],
    ['q=%00', 'q must not contain NUL characters.'],
  ])('?%s is 400', async (query, error) => {
    for (const path of [
      '/v1/members',
      '/v1/service-accounts',
      '/v1/roles',
      '/v1/apps',
      '/v1/members/invites',
    ]) {
      expect(await admin.get(`${path}?${query}`)).toMatchObject({ status: 400, body: { error } })
    }
  })

  test('finds a member who is renamed by whatever writes the name', async () => {
    const grace = await member(ctx, 'developer')
    await named(grace, 'Grace Hopper', 'grace@example.org')
    expect(await emails('q=HOPPER')).toEqual(['grace@example.org'])
    expect((await admin.delete(`/v1/members/${grace.id}`)).status).toBe(204)
    expect(await emails('q=HOPPER')).toEqual([])
  })
})

describe('sort', () => {
  test.each([['name', ['100', 'Ada', 'final', 'nameless', 'Twin', 'Twin', 'Änne']]])(
    '%s is by the name, and by the e-mail address of whoever has none',
    async (sort, order) => {
      const listed = (await inPages(admin, `/v1/members?sort=${sort}`)).map(
        ({ fullName, email }) => (fullName as string) || (email as string),
      )
      expect(
        listed.map((name) => name.normalize('NFKC')).map((name, at) => name.startsWith(order[at] as string)),
      ).toEqual(order.map(() => true))
    },
  )

  test.each([
    ['email', ['ada', 'nameless', 'twin-a', 'twin-b', 'x1', 'x3', 'X6']],
    ['created_at', ['ada', 'x1', 'twin-b', 'x3', 'twin-a', 'nameless', 'X6']],
  ])('%s of members', async (sort, order) => {
    expect((await emails(`sort=${sort}`)).map((email) => String(email).split('@')[0])).toEqual(order)
  })

  test('role is by the name of the role', async () => {
    const roles = (await inPages(admin, '/v1/members?sort=role')).map(({ role }) => (role as Item).name)
    expect(roles).toEqual([...roles].toSorted())
    expect(new Set(roles)).toEqual(new Set(['Auditor', 'Developer', 'Manager', 'Owner']))
  })

  test.each(['name', 'email', 'role', 'created_at', 'last_seen_at'])(
    '-%s is the reverse, pages have what the whole list has',
    async (sort) => {
      await ctx.db`update members set last_seen_at = ${ctx.clock.now()} where id = ${people['x3@example.org']?.id ?? ''}`
      const ids = (items: Item[]) => items.map(({ id }) => id)
      const pages = ids(await inPages(admin, `/v1/members?sort=${sort}`))
      expect(ids(await inPages(admin, `/v1/members?sort=-${sort}`))).toEqual(pages.toReversed())
      expect(ids((await admin.get(`/v1/members?sort=${sort}`)).body.data)).toEqual(pages)
      expect(pages).toHaveLength(ALL.length)
    },
  )

  test('last_seen_at has those who never were first, and last in the reverse', async () => {
    const seen = async (sort: string) =>
      (await inPages(admin, `/v1/members?sort=${sort}`)).map(({ lastSeenAt }) => lastSeenAt)
    await ctx.db`update members set last_seen_at = ${ctx.clock.now()} where id = ${ada.id}`
    const list = await seen('last_seen_at')
    expect(list[0]).toBeNull()
    expect(list.at(-1)).not.toBeNull()
    expect((await seen('-last_seen_at')).at(-1)).toBeNull()
  })

  test.each([
    [
      '/v1/members',
      'name, -name, email, -email, role, -role, created_at, -created_at, last_seen_at, -last_seen_at',
    ],
    ['/v1/service-accounts', 'name, -name, role, -role, created_at, -created_at'],
    ['/v1/roles', 'name, -name, created_at, -created_at'],
    ['/v1/apps', 'name, -name, created_at, -created_at'],
    [`/v1/environments?app_id=${randomUUID()}`, 'name, -name, created_at, -created_at'],
    ['/v1/members/invites', 'email, -email, created_at, -created_at, expires_at, -expires_at'],
  ])('of %s is 400 for every other field, and names those that there are', async (path, fields) => {
    for (const sort of ['password_hash', '', '-', '--name', 'NAME', "name'", 'own', 'constructor', 'u.id']) {
      expect(await admin.get(`${path}${path.includes('?') ? '&' : '?'}sort=${sort}`)).toMatchObject({
        status: 400,
        body: { error: `sort must be one of ${fields}.` },
      })
    }
  })
})

describe('filters', () => {
  test('role_id gives only the holders of a role, in every order', async () => {
    const { id } = await roleOf(ctx, 'developer')
    const developers = ['x1@example.org', 'x3@example.org', 'twin-a@example.org']
    expect(await emails(`role_id=${id}`)).toEqual(developers)
    expect(await emails(`role_id=${id.toUpperCase()}&sort=role`)).toHaveLength(3)
    expect(await emails(`role_id=${id}&sort=email`)).toEqual([
      'twin-a@example.org',
      'x1@example.org',
      'x3@example.org',
    ])
    expect(await emails(`role_id=${id}&q=twin`)).toEqual(['twin-a@example.org'])
  })

  test.each([randomUUID(), 'not-an-id', "'"])('role_id=%s, which nobody has, gives nobody', async (id) => {
    for (const path of ['/v1/members', '/v1/service-accounts', '/v1/members/invites']) {
      const { status, body } = await admin.get(`${path}?role_id=${id}&limit=5`)
      expect({ status, body }).toEqual({ status: 200, body: { data: [], nextCursor: null, total: 0 } })
    }
  })

  test('access=none gives those who can open nothing; a grant, and global access, end that', async () => {
    const without = await emails('access=none')
    expect(without).toEqual(ALL.slice(1))
    const { id, environments } = await app(ctx)
    const granted = { apps: [{ id, environments: [environments[0]?.id, environments[1]?.id] }] }
    const { id: twin } = people['twin-a@example.org'] as Person
    expect((await admin.put(`/v1/members/${twin}/access`, granted)).status).toBe(200)
    expect(await emails('access=none&sort=-email')).toEqual(
      without
        .filter((email) => email !== 'twin-a@example.org')
        .toSorted(caseless)
        .toReversed(),
    )
    const [listed] = (await admin.get('/v1/members?q=twin-a')).body.data
    expect(listed).toMatchObject({ accessibleEnvironments: 2, globalAccess: false })
    const [own] = (await admin.get('/v1/members?q=ada@')).body.data
    expect(own).toMatchObject({ accessibleEnvironments: environments.length, globalAccess: true })
    expect((await admin.put(`/v1/members/${twin}/access`, { apps: [] })).status).toBe(200)
  })

  const caseless = (one: unknown, other: unknown) =>
    String(one).toLowerCase() < String(other).toLowerCase() ? -1 : 1

  test('access takes no other value', async () => {
    for (const access of ['all', '', 'NONE']) {
      expect(await admin.get(`/v1/members?access=${access}`)).toMatchObject({
        status: 400,
        body: { error: 'access must be one of none.' },
      })
    }
  })

  test('tell a caller without global access as much as the access of each member does', async () => {
    const manager = service.as(people['twin-b@example.org']?.token ?? '')
    const { body } = await manager.get('/v1/members?sort=name')
    for (const { id, accessibleEnvironments } of body.data) {
      const { apps } = (await manager.get(`/v1/members/${id}/access`)).body
      const environments = apps.flatMap((one: { environments: unknown[] }) => one.environments)
      expect(environments).toHaveLength(accessibleEnvironments)
    }
  })
})

describe('a cursor', () => {
  const cursorOf = async (query: string) =>
    encodeURIComponent((await admin.get(`/v1/members?limit=1&${query}`)).body.nextCursor)

  test('is valid for the same filters and the same order only', async () => {
    const { id } = await roleOf(ctx, 'developer')
    const queries = [
      '',
      'q=example',
      'sort=name',
      'sort=-name',
      `role_id=${id}`,
      'access=none',
      'q=e&sort=name',
    ]
    for (const given of queries) {
      const cursor = await cursorOf(given)
      for (const query of queries) {
        const { status, body } = await admin.get(`/v1/members?${query}&cursor=${cursor}`)
        expect(status, `${given} → ${query}`).toBe(query === given ? 200 : 400)
        if (query !== given) {
          expect(body.error).toBe(
            'cursor must be the nextCursor of an earlier page of this list, with the same filters and sort.',
          )
        }
      }
    }
  })

  test('is valid for the same q in another case, and for the order of the list by its name', async () => {
    expect((await admin.get(`/v1/members?q=EXAMPLE&cursor=${await cursorOf('q=example')}`)).status).toBe(200)
    expect((await admin.get(`/v1/members?cursor=${await cursorOf('sort=created_at')}`)).status).toBe(200)
  })

  test('that was changed by hand is 400', async () => {
    const cursor = await cursorOf('sort=name')
    const content = Buffer.from(JSON.stringify(["'; drop table users; --", 'x'])).toString('base64url')
    for (const bad of [`x${cursor}`, `${content}.${cursor.split('.')[1]}`, content, '.', 'null']) {
      expect((await admin.get(`/v1/members?sort=name&cursor=${bad}`)).status).toBe(400)
    }
  })

  test('goes on where it was although the member before it was renamed, and another one removed', async () => {
    const [one, two, three] = [
      await member(ctx, 'developer'),
      await member(ctx, 'developer'),
      await member(ctx, 'developer'),
    ]
    await named(one, 'Paging 1', 'paging-1@example.org')
    await named(two, 'Paging 2', 'paging-2@example.org')
    await named(three, 'Paging 3', 'paging-3@example.org')
    const first = (await admin.get('/v1/members?q=paging&sort=name&limit=1')).body
    expect([first.data[0].id, first.total]).toEqual([one.id, 3])
    await named(one, 'Paging 9', 'paging-1@example.org')
    expect((await admin.delete(`/v1/members/${two.id}`)).status).toBe(204)
    const next = (await admin.get(`/v1/members?q=paging&sort=name&limit=1&cursor=${first.nextCursor}`)).body
    expect([next.data[0].id, next.total]).toEqual([three.id, 2])
    for (const { id } of [one, three]) await admin.delete(`/v1/members/${id}`)
  })

  test('of the longest name is short enough to be sent back', async () => {
    const grace = await member(ctx, 'developer')
    await named(grace, '\u{FDFA}'.repeat(128), 'grace-long@example.org')
    const seen = await emails('sort=-name')
    expect(seen[0]).toBe('grace-long@example.org')
    expect(seen).toHaveLength(ALL.length + 1)
    expect((await admin.delete(`/v1/members/${grace.id}`)).status).toBe(204)
    for (const n of [1, 2]) await customRole(`${'\u{FDFA}'.repeat(63)}${n}`)
    expect((await inPages(admin, '/v1/roles?sort=-name')).length).toBe(8)
  })
})

test('two statements make a page that tells the total, and one where the page is the whole list', async () => {
  for (const path of ['/v1/members', '/v1/roles']) {
    expect(await countStatements(ctx, () => admin.get(`${path}?limit=200`))).toBe(2)
    expect(await countStatements(ctx, () => admin.get(`${path}?limit=2&sort=name`))).toBe(3)
  }
  const { body } = await admin.get('/v1/members?limit=200')
  expect(body.total).toBe(body.data.length)
  expect((await admin.get('/v1/members')).body).not.toHaveProperty('total')
})

test('the audit log and the list of access tell no total', async () => {
  for (const path of ['/v1/logs/audit', '/v1/access']) {
    expect((await admin.get(`${path}?limit=1`)).body).not.toHaveProperty('total')
  }
})

describe('other lists', () => {
  test('service accounts are found by name, filtered, sorted, and tell of their tokens', async () => {
    const { id: held } = await roleOf(ctx, 'service')
    const made = []
    for (const name of ['Zebra', 'apple', 'Äpfel']) {
      ctx.clock.advance(1)
      made.push((await admin.post('/v1/service-accounts', { name, role_id: held })).body)
    }
    const names = async (query: string) =>
      (await inPages(admin, `/v1/service-accounts?${query}`)).map(({ name }) => name)
    expect(await names('q=äPFEL')).toEqual(['Äpfel'])
    expect(await names('sort=name')).toEqual(['apple', 'Zebra', 'Äpfel'])
    expect(await names('sort=-name')).toEqual(['Äpfel', 'Zebra', 'apple'])
    expect(await names('sort=-created_at')).toEqual(['Äpfel', 'apple', 'Zebra'])
    expect((await names('sort=role')).toSorted()).toEqual(['Zebra', 'apple', 'Äpfel'])
    expect(await names(`sort=role&role_id=${held}&q=e`)).toHaveLength(3)
    const used = made[0]
    expect((await service.as(used.initialToken.token).get('/v1/me')).status).toBe(200)
    await ctx.db`update tokens set last_used_at = ${ctx.clock.now()} where principal_id = ${used.id}`
    await admin.post(`/v1/service-accounts/${used.id}/tokens`, { name: 'another' })
    const [zebra] = (await admin.get('/v1/service-accounts?q=zebra')).body.data
    expect(zebra).toMatchObject({ tokenCount: 2, lastUsedAt: ctx.clock.now().toISOString() })
    expect((await admin.get(`/v1/service-accounts/${used.id}/tokens?limit=1`)).body.total).toBe(2)
  })

  test('what the caller may not read is not counted for it', async () => {
    const reader = await customRole('Reader', { ServiceAccounts: ['read'], Roles: ['read'] })
    const robot = service.as((await serviceAccount(ctx, reader)).token)
    const [account] = (await robot.get('/v1/service-accounts')).body.data
    expect(account).not.toHaveProperty('tokenCount')
    expect(account).not.toHaveProperty('lastUsedAt')
    const [role] = (await robot.get('/v1/roles?q=Reader')).body.data
    expect(role).toMatchObject({ name: 'Reader', serviceAccountCount: 1 })
    expect(role).not.toHaveProperty('memberCount')
    expect((await robot.get('/v1/members?q=ada')).status).toBe(403)
  })

  test('roles tell how many hold them, and are found and sorted', async () => {
    const [auditor] = (await admin.get('/v1/roles?q=AUDIT')).body.data
    expect(auditor).toMatchObject({ name: 'Auditor', memberCount: 2, serviceAccountCount: 0 })
    const byName = (await inPages(admin, '/v1/roles?sort=name')).map(({ name }) => String(name).toLowerCase())
    expect(byName.slice(0, 5)).toEqual(['admin', 'auditor', 'developer', 'manager', 'owner'])
    await member(ctx, auditor)
    expect((await admin.get('/v1/roles?q=AUDIT')).body.data[0].memberCount).toBe(3)
  })

  test('apps and their environments are found and sorted among those that the caller can access', async () => {
    const [one, two] = [await app(ctx), await app(ctx)]
    const grace = await member(ctx, 'developer')
    const [first] = one.environments
    await admin.put(`/v1/members/${grace.id}/access`, { apps: [{ id: one.id, environments: [first?.id] }] })
    const hers = service.as(grace.token)
    expect((await inPages(hers, '/v1/apps?sort=-name')).map(({ id }) => id)).toEqual([one.id])
    expect(await inPages(hers, `/v1/apps?q=${encodeURIComponent(two.name)}`)).toEqual([])
    expect((await inPages(admin, `/v1/apps?q=${encodeURIComponent(two.name.toUpperCase())}`))[0]?.id).toBe(
      two.id,
    )
    const names = (await inPages(admin, '/v1/apps?sort=name')).map(({ name }) => String(name).toLowerCase())
    expect(names).toEqual(names.toSorted())
    const inApp = `/v1/environments?app_id=${one.id}`
    expect((await inPages(hers, `${inApp}&sort=name`)).map(({ id }) => id)).toEqual([first?.id ?? ''])
    const all = (await inPages(admin, `${inApp}&sort=-name`)).map(({ name }) => name)
    expect(all).toEqual(all.toSorted().toReversed())
    expect(await inPages(admin, `${inApp}&sort=created_at`)).toEqual((await admin.get(inApp)).body.data)
    expect(
      (await inPages(admin, `${inApp}&q=${String(all[0]).toLowerCase()}`)).map(({ name }) => name),
    ).toEqual([all[0]])
    expect(await inPages(admin, `${inApp}&q=nothing`)).toEqual([])
    expect((await hers.get(`/v1/environments?app_id=${two.id}&q=a`)).status).toBe(404)
  })

  test('invites are found by e-mail, filtered, sorted, and counted without the expired ones', async () => {
    const { id: developer } = await roleOf(ctx, 'developer')
    const { id: manager } = await roleOf(ctx, 'manager')
    const invite = (email: string, role_id: string) => admin.post('/v1/members/invites', { email, role_id })
    await invite('late@example.org', developer)
    ctx.clock.advance(14 * 24 * 3600)
    for (const [email, role] of [
      ['Bea@example.org', developer],
      ['ann@example.org', manager],
      ['cay@example.org', developer],
    ] as const) {
      ctx.clock.advance(1)
      expect((await invite(email, role)).status).toBe(201)
    }
    const invited = async (query: string) =>
      (await inPages(admin, `/v1/members/invites?${query}`)).map(
        ({ inviteeEmail }) => String(inviteeEmail)[0],
      )
    expect(await invited('')).toEqual(['B', 'a', 'c'])
    expect(await invited('sort=email')).toEqual(['a', 'B', 'c'])
    expect(await invited('sort=-expires_at')).toEqual(['c', 'a', 'B'])
    expect(await invited(`role_id=${developer}&sort=-created_at`)).toEqual(['c', 'B'])
    expect(await invited('q=BEA@')).toEqual(['B'])
    expect(await invited('q=late')).toEqual([])
  })

  test('the caller’s own tokens are counted', async () => {
    const { body } = await admin.get('/v1/tokens?limit=5')
    expect(body.total).toBe(body.data.length)
  })
})

// Last: the other tests know one organisation.
test('nothing of another organisation is found, sorted or counted', async () => {
  const before = await emails('')
  const foreign = {
    organisation: randomUUID(),
    role: randomUUID(),
    principal: randomUUID(),
    user: randomUUID(),
  }
  const at = ctx.clock.now()
  await ctx.db.begin(async (tx) => {
    await tx`insert into organisations (id, name, created_at, updated_at) values (${foreign.organisation}, 'Other', ${at}, ${at})`
    await tx`insert into roles (id, organisation_id, kind, name, name_key, created_at, updated_at)
      values (${foreign.role}, ${foreign.organisation}, 'owner', 'Owner', 'owner', ${at}, ${at})`
    await tx`insert into principals (id, organisation_id, type, role_id, role_kind, identity_key, wrapped_private_key)
      values (${foreign.principal}, ${foreign.organisation}, 'member', ${foreign.role}, 'owner', 'x', 'x')`
    await tx`insert into users (id, email, email_key, full_name, created_at, updated_at)
      values (${foreign.user}, 'eve@foreign.example', 'eve@foreign.example', 'Eve', ${at}, ${at})`
    await tx`insert into members (id, organisation_id, user_id, created_at, updated_at)
      values (${foreign.principal}, ${foreign.organisation}, ${foreign.user}, ${at}, ${at})`
  })
  for (const sort of ['name', 'email', '-role', 'last_seen_at', 'created_at']) {
    expect(await emails(`sort=${sort}`)).toHaveLength(before.length)
    expect(await emails(`sort=${sort}&q=eve`)).toEqual([])
    expect(await emails(`sort=${sort}&role_id=${foreign.role}`)).toEqual([])
  }
  expect((await inPages(admin, '/v1/roles?sort=name')).filter(({ name }) => name === 'Owner')).toHaveLength(1)
})
