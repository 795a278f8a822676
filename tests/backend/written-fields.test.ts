import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import type { TObject } from '@sinclair/typebox'
import { EmptyBody } from '../../src/backend/http/responses.ts'
import { APP_CLASSES, actionsOf, ORGANISATION_CLASSES } from '../../src/core/permissions.ts'
import { api, type Client } from '../support/api.ts'
import { app, type TestApp } from '../support/apps.ts'
import { type TestContext, testContext, uniqueName } from '../support/context.ts'
import { member, owner, roleOf, serviceAccount, session } from '../support/people.ts'

// Every field that a body can write is written, read back and compared, alone and with all others. A field that a
// route's schema has and this table has not fails: a new one is added here with what it is to be read back as.

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
type Shown = any
type Field = {
  /** What is written, one after the other: each differs from what is there before. */
  values: () => readonly unknown[]
  /** Where it stands when it is read. */
  shown: (thing: Shown) => unknown
  /** How a value reads that is not shown as it was sent. */
  as?: (value: Shown) => unknown
  /** Other fields of the body that exclude this one. */
  without?: readonly string[]
}
type Writing = {
  /** Where it is sent: for PUT, to a thing that was just made. */
  to: () => Promise<string>
  /** Where it is read; for POST with the new thing's id. A list is searched for it. */
  from?: (sentTo: string, id: string) => string
  fields: Record<string, Field>
}

let ctx: TestContext
let ada: Client
let developerId: string
let customId: string
let shop: TestApp
let routes: Map<string, TObject>

beforeAll(async () => {
  ctx = await testContext()
  const { userId } = await owner(ctx)
  const service = api(ctx)
  ada = service.as(await session(ctx, userId))
  developerId = (await roleOf(ctx, 'developer')).id
  customId = (await ada.post('/v1/roles', { name: 'Custom', permissions: NO_PERMISSIONS })).body.id
  shop = await app(ctx, 'Shop', ['one', 'two'])
  routes = new Map(
    service.app.routes
      .filter(({ path, method }) => path.startsWith('/v1/') && (method === 'POST' || method === 'PUT'))
      .filter(({ hooks }) => hooks.body !== EmptyBody)
      .filter(({ path }) => !ELSEWHERE.test(path))
      .map(({ path, method, hooks }) => [`${method} ${path.replace(/\/$/, '')}`, hooks.body as TObject]),
  )
})
afterAll(() => ctx.close())

/** What is sealed is read by other routes than those that write it: the tests of these routes read it back. */
const ELSEWHERE = /^\/v1\/(?:secrets|environments\/:id\/secrets)\b/

const NO_PERMISSIONS = { permissions: {}, app_permissions: {} }
const ALL_PERMISSIONS = {
  permissions: Object.fromEntries(
    ORGANISATION_CLASSES.map((name) => [name, [...actionsOf('permissions', name)]]),
  ),
  app_permissions: Object.fromEntries(
    APP_CLASSES.map((name) => [name, [...actionsOf('appPermissions', name)]]),
  ),
}

const name: Field = {
  values: () => [uniqueName('Written'), uniqueName('Again')],
  shown: (thing) => thing.name,
}
const description: Field = { values: () => ['Written.', null], shown: (thing) => thing.description }
const roleId: Field = { values: () => [customId], shown: (thing) => thing.role.id }
const roleFields = {
  name,
  description,
  color: { values: () => ['#1F6FEB', ''], shown: (thing: Shown) => thing.color },
  permissions: {
    values: () => [ALL_PERMISSIONS, NO_PERMISSIONS],
    shown: ({ permissions: { permissions, appPermissions } }: Shown) => ({ permissions, appPermissions }),
    as: ({ permissions, app_permissions }: typeof ALL_PERMISSIONS) => ({
      permissions,
      appPermissions: app_permissions,
    }),
  },
}
const inDays = (days: number) => new Date(ctx.clock.now().getTime() + days * 24 * 3600 * 1000).toISOString()
const tokenFields: Record<string, Field> = {
  name,
  format: { values: () => ['phase', 'keyward'], shown: (thing) => thing.format },
  expires_at: {
    values: () => [inDays(1), inDays(2)],
    shown: (thing) => thing.expiresAt,
    without: ['expires_in'],
  },
  expires_in: {
    values: () => [3 * 24 * 3600],
    shown: (thing) => thing.expiresAt,
    as: () => inDays(3),
    without: ['expires_at'],
  },
}
const environmentName: Field = { values: () => [randomUUID(), randomUUID()], shown: (thing) => thing.name }
const access: Record<string, Field> = {
  apps: {
    values: () => [[{ id: shop.id, environments: [shop.environments[1]?.id] }], []],
    shown: (thing) =>
      thing.apps.map((one: Shown) => ({
        id: one.id,
        environments: one.environments.map((e: Shown) => e.id),
      })),
  },
}

const newRole = async () => {
  const permissions = { permissions: { Logs: ['read'] }, app_permissions: { Logs: ['read'] } }
  const values = { name: uniqueName('Role'), color: '#fff', description: 'Before.', permissions }
  return `/v1/roles/${(await ada.post('/v1/roles', values)).body.id}`
}
const newMember = async () => `/v1/members/${(await member(ctx, { id: developerId })).id}`
const newAccount = async () => `/v1/service-accounts/${(await serviceAccount(ctx, 'service')).id}`
const newApp = async () => `/v1/apps/${(await app(ctx)).id}`
const newEnvironment = async () => `/v1/environments/${(await app(ctx)).environments[0]?.id}`
const always = (path: string) => async () => path
const inList = (sentTo: string) => sentTo

const WRITINGS: Record<string, Writing> = {
  'POST /v1/roles': { to: always('/v1/roles'), fields: roleFields },
  'PUT /v1/roles/:id': { to: newRole, fields: roleFields },
  'PUT /v1/members/:id': { to: newMember, fields: { role_id: roleId } },
  'PUT /v1/members/:id/access': { to: async () => `${await newMember()}/access`, fields: access },
  'POST /v1/members/invites': {
    to: always('/v1/members/invites'),
    from: inList,
    fields: {
      email: {
        values: () => [`${randomUUID()}@example.org`, `${randomUUID()}@example.org`],
        shown: (thing) => thing.inviteeEmail,
      },
      role_id: roleId,
    },
  },
  'POST /v1/service-accounts': {
    to: always('/v1/service-accounts'),
    fields: {
      name,
      role_id: roleId,
      token_name: { values: () => ['First token'], shown: (thing) => thing.tokens[0].name },
      token_format: { values: () => ['phase', 'keyward'], shown: (thing) => thing.tokens[0].format },
    },
  },
  'PUT /v1/service-accounts/:id': { to: newAccount, fields: { name, role_id: roleId } },
  'PUT /v1/service-accounts/:id/access': { to: async () => `${await newAccount()}/access`, fields: access },
  'POST /v1/service-accounts/:id/tokens': {
    to: async () => `${await newAccount()}/tokens`,
    from: inList,
    fields: tokenFields,
  },
  'POST /v1/tokens': { to: always('/v1/tokens'), from: inList, fields: tokenFields },
  'POST /v1/apps': {
    to: always('/v1/apps'),
    fields: {
      name,
      description,
      environments: {
        values: () => [['Live', 'Test'], ['One']],
        shown: (thing) => thing.environments.map((one: Shown) => one.name),
      },
    },
  },
  'PUT /v1/apps/:id': {
    to: newApp,
    fields: {
      name,
      description,
      sse_enabled: { values: () => [false, true], shown: (thing) => thing.sseEnabled },
    },
  },
  'POST /v1/environments': {
    to: async () => `/v1/environments?app_id=${shop.id}`,
    from: (_, id) => `/v1/environments/${id}`,
    fields: { name: environmentName },
  },
  'PUT /v1/environments/:id': { to: newEnvironment, fields: { name: environmentName } },
  'PUT /v1/organisation': { to: always('/v1/organisation'), fields: { name } },
}

test('every field of every body under /v1 is written below', () => {
  const fields = (table: [string, Record<string, unknown>][]) =>
    Object.fromEntries(table.map(([route, record]) => [route, Object.keys(record).sort()]))
  expect(fields(Object.entries(WRITINGS).map(([route, { fields }]) => [route, fields]))).toEqual(
    fields([...routes].map(([route, body]) => [route, body.properties])),
  )
})

describe.each(Object.entries(WRITINGS))('%s', (route, { to, from, fields }) => {
  const isPut = route.startsWith('PUT')
  const names = Object.keys(fields)
  const valueFor = (field: string, round = 0) => fields[field]?.values().at(round)

  async function write(path: string, body: Record<string, unknown>): Promise<Shown> {
    ctx.clock.advance(1)
    const answer = isPut ? await ada.put(path, body) : await ada.post(path, body)
    expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: isPut ? 200 : 201 })
    const { id } = answer.body
    const source = isPut ? path : (from ?? ((sentTo) => `${sentTo}/${id}`))(path, id)
    const { body: read } = await ada.get(source)
    const thing = 'data' in read ? read.data.find((item: Shown) => item.id === id) : read
    for (const [key, value] of Object.entries(answer.body))
      if (key in thing) expect(thing[key]).toEqual(value)
    for (const [field, value] of Object.entries(body)) {
      const { shown, as = (sent: Shown) => sent } = fields[field] as Field
      expect({ [field]: shown(thing) }).toEqual({ [field]: as(value) })
    }
    if (isPut && 'updatedAt' in thing) expect(thing.updatedAt).toBe(ctx.clock.now().toISOString())
    return thing
  }

  test.each(names)('%s is read as it was written, and nothing else changes', async (field) => {
    const required = isPut ? [] : (routes.get(route)?.required ?? [])
    const path = await to()
    const before = isPut ? (await ada.get(path)).body : null
    for (const round of (fields[field] as Field).values().keys()) {
      const sent = [...new Set([...required, field])]
      const body = Object.fromEntries(
        sent.map((one) => [one, one === field ? valueFor(one, round) : valueFor(one)]),
      )
      const after = await write(path, body)
      if (!isPut) continue
      for (const other of names.filter((one) => one !== field)) {
        const shown = fields[other]?.shown as Field['shown']
        expect({ [other]: shown(after) }).toEqual({ [other]: shown(before) })
      }
    }
  })

  test('all fields are read as they were written together', async () => {
    const together = names.filter((field, place) =>
      names.slice(0, place).every((earlier) => !fields[field]?.without?.includes(earlier)),
    )
    await write(await to(), Object.fromEntries(together.map((field) => [field, valueFor(field)])))
  })
})
