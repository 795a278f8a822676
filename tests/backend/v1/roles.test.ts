import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { api } from '../../support/api.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { member, owner, type Person } from '../../support/people.ts'

let ctx: TestContext
let ada: Person
let service: ReturnType<typeof api>

beforeAll(async () => {
  ctx = await testContext()
  service = api(ctx)
  ada = await owner(ctx)
})
afterAll(() => ctx.close())

const nothing = { permissions: {}, app_permissions: {} }

describe('GET /v1/roles', () => {
  test('lists the five default roles in their order, without permissions', async () => {
    const { status, body } = await service.as(ada.token).get('/v1/roles/')
    expect(status).toBe(200)
    expect(body.data.map((role: { name: string }) => role.name)).toEqual([
      'Owner',
      'Admin',
      'Manager',
      'Developer',
      'Service',
    ])
    expect(body.data[0]).toEqual({
      id: expect.any(String),
      name: 'Owner',
      description: null,
      color: '',
      isDefault: true,
      createdAt: '2026-01-01T00:00:00.000Z',
    })
    expect(body).not.toHaveProperty('nextCursor')
  })

  test('is 401 without credentials, with the header that says what is missing', async () => {
    const { status, body, headers } = await service.anonymous.get('/v1/roles')
    expect(status).toBe(401)
    expect(body).toEqual({ error: 'Authentication credentials were not provided.' })
    expect(headers.get('www-authenticate')).toBe('Bearer')
  })
})

describe('POST /v1/roles', () => {
  test('creates a custom role and returns it as stored', async () => {
    const permissions = { permissions: { Apps: ['read', 'create'] }, app_permissions: { Secrets: ['read'] } }
    const { status, body } = await service
      .as(ada.token)
      .post('/v1/roles/', { name: ' Auditor ', permissions, color: '#0a0' })
    expect(body).toEqual({
      id: expect.any(String),
      name: 'Auditor',
      description: null,
      color: '#0a0',
      isDefault: false,
      createdAt: '2026-01-01T00:00:00.000Z',
      permissions: {
        permissions: { Apps: ['read', 'create'] },
        appPermissions: { Secrets: ['read'] },
        globalAccess: false,
      },
    })
    expect(status).toBe(201)
  })

  test('answers 401, then 403, then 400 for the same bad body', async () => {
    const developer = await member(ctx, 'developer')
    const bad = { body: '{', headers: { 'content-type': 'application/json' } }
    expect((await service.anonymous.send('POST', '/v1/roles', bad)).status).toBe(401)
    const refused = await service.as(developer.token).send('POST', '/v1/roles', bad)
    expect(refused).toMatchObject({
      status: 403,
      body: { error: "You don't have permission to create roles." },
    })
    expect((await service.as(ada.token).send('POST', '/v1/roles', bad)).status).toBe(400)
    const typed = { body: '{}', headers: { 'content-type': 'text/plain' } }
    expect((await service.as(ada.token).send('POST', '/v1/roles', typed)).status).toBe(415)
  })

  test.each([
    [{ name: 'x', permissions: { ...nothing, globalAccess: true } }, /globalAccess/],
    [{ name: 'x', permissions: { permissions: {}, app_permissions: {}, appPermissions: {} } }, /not both/],
    [{ name: 'x', permissions: { permissions: {} } }, /exactly the keys/],
    [
      { name: 'x', permissions: { permissions: { Robots: [] }, app_permissions: {} } },
      /"Robots"; valid are Organisation/,
    ],
    [{ name: 'x', permissions: { permissions: { Logs: ['create'] }, app_permissions: {} } }, /valid: read\./],
    [{ name: 'x'.repeat(65), permissions: nothing }, /name must have at most 64 characters/],
    [{ name: '  ', permissions: nothing }, /name is required/],
    [{ permissions: nothing }, /name is required/],
    [{ name: 'x', permissions: nothing, colour: '#fff' }, /Unknown field "colour"/],
    [{ name: 'x', permissions: nothing, color: 'red' }, /color/],
    [{ name: 'x', permissions: nothing, description: 'y'.repeat(501) }, /description must have at most 500/],
    [[], /The body must be an object/],
  ])('refuses %j', async (input, sentence) => {
    const { status, body } = await service.as(ada.token).post('/v1/roles', input)
    expect(body.error).toMatch(sentence)
    expect(status).toBe(400)
  })
})
