import { expect, test } from 'bun:test'
import { fakeClock } from '../../../src/platform/clock.ts'
import { openKv } from '../../../src/platform/kv/open.ts'
import { boundedFetch } from '../../../src/platform/sso/bounded-fetch.ts'
import { recordedLog } from '../../support/log-recorder.ts'
import { recordCalls } from '../../support/recorded-tracing.ts'

test('a command of the key-value store is a call, named without its key', async () => {
  const answer = () => Response.json([{ result: [1, 1000] }])
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: answer })
  const url = `http://127.0.0.1:${server.port}`
  const kv = openKv({ kind: 'upstash', url, token: 'needle' }, fakeClock(), recordedLog().log, {
    openRedis: null,
    timeoutMs: 2000,
  })
  const { calls, stop } = recordCalls()
  try {
    expect(await kv.increment('rate:network:needle', 60)).toEqual({ count: 1, resetSeconds: 1 })
    await server.stop(true)
    await kv.publish('needle')
  } finally {
    stop()
    await kv.close()
  }
  expect(calls).toEqual([
    {
      name: 'EVAL',
      attributes: { 'db.system.name': 'redis', 'db.operation.name': 'EVAL' },
      failed: null,
      isOver: true,
    },
    expect.objectContaining({ name: 'PUBLISH', failed: expect.any(String), isOver: true }),
  ])
  expect(JSON.stringify(calls)).not.toContain('needle')
})

test('a call to an identity provider has neither its address, nor what is sent, nor the answer', async () => {
  const { calls, stop } = recordCalls()
  const send = async (url: string) => new Response('needle', { status: url.endsWith('bad') ? 500 : 200 })
  const fetch = boundedFetch(send, AbortSignal.timeout(1000))
  try {
    await fetch('https://needle.example.org/token?code=needle', { method: 'POST', body: 'code=needle' })
    await expect(fetch('https://needle.example.org/bad', {})).rejects.toThrow('500')
  } finally {
    stop()
  }
  expect(calls).toEqual([
    {
      name: 'POST identity provider',
      attributes: { 'http.request.method': 'POST' },
      failed: null,
      isOver: true,
    },
    {
      name: 'GET identity provider',
      attributes: { 'http.request.method': 'GET' },
      failed: 'CallFailure',
      isOver: true,
    },
  ])
})
