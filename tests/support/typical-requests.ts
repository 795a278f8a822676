import { expect } from 'bun:test'
import type { LoadReport, LoadRequest } from './load.ts'

/** Requests of everyday use: most read, one renames the organisation, to another name each time. */
export function everyday(token: string): LoadRequest[] {
  const headers = { authorization: `Bearer ${token}` }
  const reads = ['/v1/me/', '/v1/roles/', '/v1/members/', '/v1/apps/'].map((path) => ({ path, headers }))
  const write: LoadRequest = {
    method: 'PUT',
    path: '/v1/organisation/',
    headers: { ...headers, 'content-type': 'application/json' },
    body: () => JSON.stringify({ name: crypto.randomUUID() }),
  }
  return [...reads, write]
}

/** Every renaming that a load was told is done must be in the audit log. */
export async function expectWritten(
  { url, host }: { url: string; host: string },
  token: string,
  { acknowledged }: LoadReport,
): Promise<void> {
  expect(acknowledged.length).toBeGreaterThan(0)
  const missing = new Set(acknowledged.map((body) => JSON.parse(body).name))
  for (let cursor: string | null = ''; cursor !== null && missing.size > 0; ) {
    const query = new URLSearchParams({
      event_type: 'organisation.updated',
      limit: '200',
      ...(cursor && { cursor }),
    })
    const response = await fetch(`${url}/v1/logs/audit/?${query}`, {
      headers: { host, authorization: `Bearer ${token}` },
      keepalive: false,
    })
    expect(response.status).toBe(200)
    const page = (await response.json()) as {
      data: { newValues: { name: string } }[]
      nextCursor: string | null
    }
    for (const { newValues } of page.data) missing.delete(newValues.name)
    cursor = page.nextCursor
  }
  expect([...missing]).toEqual([])
}
