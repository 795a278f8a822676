import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { api } from '../../support/api.ts'
import { entriesAbout } from '../../support/audit-entries.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { member, owner, type Person } from '../../support/people.ts'

let ctx: TestContext
let ada: Person & { organisationId: string }
let manager: Person
let developer: Person
let service: ReturnType<typeof api>

beforeAll(async () => {
  ctx = await testContext()
  service = api(ctx)
  ada = await owner(ctx)
  manager = await member(ctx, 'manager')
  developer = await member(ctx, 'developer')
})
afterAll(() => ctx.close())

const shown = () => ({
  id: ada.organisationId,
  name: 'My organisation',
  plan: 'enterprise',
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
})

describe('GET /v1/organisation', () => {
  test('shows the organisation of the caller', async () => {
    const { status, body } = await service.as(manager.token).get('/v1/organisation/')
    expect(body).toEqual(shown())
    expect(status).toBe(200)
  })

  test('is 401 without credentials and 403 without the permission', async () => {
    expect((await service.anonymous.get('/v1/organisation')).status).toBe(401)
    const { status, body } = await service.as(developer.token).get('/v1/organisation')
    expect(body).toEqual({ error: "You don't have permission to read organisation." })
    expect(status).toBe(403)
  })
})

describe('PUT /v1/organisation', () => {
  test.each([
    [{}, /name is required/],
    [{ name: ' ' }, /name is required/],
    [{ name: null }, /name must be a string/],
    [{ name: 'x'.repeat(65) }, /name must have at most 64 characters/],
    [{ name: 'x', plan: 'free' }, /Unknown field "plan"/],
  ])('refuses %j', async (input, sentence) => {
    const { status, body } = await service.as(ada.token).put('/v1/organisation', input)
    expect(body.error).toMatch(sentence)
    expect(status).toBe(400)
  })

  test('is 401, then 403, before the body is checked', async () => {
    const bad = { body: '{', headers: { 'content-type': 'application/json' } }
    expect((await service.anonymous.send('PUT', '/v1/organisation', bad)).status).toBe(401)
    expect((await service.as(manager.token).send('PUT', '/v1/organisation', bad)).status).toBe(403)
    expect((await service.as(ada.token).send('PUT', '/v1/organisation', bad)).status).toBe(400)
  })

  test('the same name writes nothing', async () => {
    ctx.clock.advance(1)
    const { status, body } = await service
      .as(ada.token)
      .unrecorded.put('/v1/organisation', { name: ' My organisation ' })
    expect(body).toEqual(shown())
    expect(status).toBe(200)
    const told = await entriesAbout(ctx, ada.organisationId)
    expect(told.filter((entry) => entry.event_type === 'organisation.updated')).toBeEmpty()
  })

  test('renames it, and records it in the audit log', async () => {
    ctx.clock.advance(1)
    const { status, body } = await service.as(ada.token).put('/v1/organisation', { name: 'Acme' })
    expect(body).toEqual({ ...shown(), name: 'Acme', updatedAt: '2026-01-01T00:00:02.000Z' })
    expect(status).toBe(200)
    expect((await service.as(ada.token).get('/v1/organisation')).body).toEqual(body)
    expect([...(await entriesAbout(ctx, ada.organisationId))]).toEqual([
      {
        event_type: 'organisation.updated',
        resource_type: 'organisation',
        actor_id: ada.id,
        resource_metadata: { name: 'Acme' },
        old_values: { name: 'My organisation' },
        new_values: { name: 'Acme' },
        description: 'Organisation renamed from "My organisation" to "Acme".',
      },
    ])
  })
})
