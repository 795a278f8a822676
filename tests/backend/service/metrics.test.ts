import { afterAll, beforeAll, expect, test } from 'bun:test'
import { api } from '../../support/api.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { owner, type Person } from '../../support/people.ts'

let ctx: TestContext
let ada: Person

beforeAll(async () => {
  ctx = await testContext()
  ada = await owner(ctx)
})
afterAll(() => ctx.close())

test('GET /service/metrics counts answers by method, pattern and status, for any Host', async () => {
  const service = api(ctx)
  await service.as(ada.token).get('/v1/roles')
  await service.as(ada.token).get('/service/v1/roles/')
  await service.as(ada.token).get(`/v1/members/${ada.id}`)
  await service.anonymous.get('/v1/members')
  await service.anonymous.get('/v1/ada@example.org')
  await service.anonymous.send('PATCH', '/v1/roles')
  await service.anonymous.send('GET', '/v1/roles', { headers: { host: 'elsewhere.invalid' } })

  const { status, body, headers } = await service.anonymous.send('GET', '/service/metrics/', {
    headers: { host: 'monitor.invalid' },
  })
  expect(status).toBe(200)
  expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  const requests = body.split('\n').filter((line: string) => line.startsWith('keyward_http_requests_total'))
  expect(requests.sort()).toEqual([
    'keyward_http_requests_total{method="GET",route="/v1/members",status="401"} 1',
    'keyward_http_requests_total{method="GET",route="/v1/members/:id",status="200"} 1',
    'keyward_http_requests_total{method="GET",route="/v1/roles",status="200"} 2',
    'keyward_http_requests_total{method="GET",route="none",status="400"} 1',
    'keyward_http_requests_total{method="GET",route="none",status="404"} 1',
    'keyward_http_requests_total{method="PATCH",route="none",status="405"} 1',
  ])
  expect(body).toContain('keyward_http_request_duration_seconds_count{method="GET",route="/v1/roles"} 2\n')
  expect(body).toContain('\nkeyward_unauthenticated_total 1\n')
  expect(body).not.toMatch(/ada|example\.org|invalid/i)
})
